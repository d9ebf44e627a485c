"""What all rules share: the study, checked; the catalogue; wildcard constraints.

INPUTS: the study (config), config/catalogue/*.yaml, config/schema.yaml
OUTPUTS: CATALOGUE, TESTS, MODELS, ids by kind
"""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, workflow.basedir)
from robusteval import plugins
from robusteval.images._view import AS_STORED
from workflow_scripts._catalogue import view_of
from workflow_scripts._code import code_of
from workflow_scripts._counts import OF_SETS, count_of, count_of_set
from workflow_scripts._fingerprint import fingerprint, own_code
from workflow_scripts._framework import architecture_of, profile_of, twins_of
from workflow_scripts._job import has_devices, missing_devices
from workflow_scripts._methods import methods_of
from workflow_scripts._probe_code import probe_code
from workflow_scripts._schema import StudyError
from workflow_scripts._score_checks import feature_scores
from workflow_scripts._searched_study import generators_of, oracle_models, searched_sets
from workflow_scripts._study import check_study, folder_of, image_sets_of

# Idle threads that spin take the cores from other jobs: two jobs of two threads on two cores were
# 4 times slower than of one thread each, and 1.3 times with this. Read when a job loads torch.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Memory that a pass frees serves the next one. Given back to the system, it comes again page by page,
# which took a small network half of its time.
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(256 << 20))
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(32 << 20))
# Libraries that download weights tell what they are used by, unless they are asked not to.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

CONFIG = Path(workflow.basedir) / "config"
try:
    CATALOGUE = check_study(config, CONFIG, [str(path) for path in workflow.configfiles])
except StudyError as error:
    raise SystemExit(f"{error}")  # one line for a person instead of a traceback

if workflow.local_exec and (missing := missing_devices()):
    raise SystemExit(missing)
HERE = has_devices()


def GPU(wildcards):
    """Return how many devices a job asks for: 1, but for one machine that has none.

    There `gpu` must not hold back the jobs, which run on the cores. A function, since it is not known
    before all rules are whether the jobs go to a cluster.
    """
    return 0 if workflow.local_exec and not HERE else 1


SCORES = config.get("scores", ["max_softmax"])  # the first is that of DAR
OF_FEATURES = feature_scores(config)
# Only a study with such scores keeps features; the list is empty in any other.
FEATURES = ["<study>/features/{model}/{test}.npy"] if OF_FEATURES else []
MODELS = config["models"]
TESTS = {test: CATALOGUE["tests"][test] for test in config["tests"]}
SHOWN = config["baseline"] if config["baseline"] in MODELS else MODELS[0]  # in figures of examples
VIEW = {model: view_of(entry) for model, entry in CATALOGUE["models"].items()}


def tests_of(*kinds):
    """Return the ids of the study's tests of these kinds."""
    return [test for test, entry in TESTS.items() if entry["kind"] in kinds]


def sets_of(*kinds):
    """Return the ids of the image sets of the study's tests of these kinds."""
    return [name for test in tests_of(*kinds) for name in TESTS[test]["sets"]]


ATTACKS = tests_of("adversarial")
# They look for the smallest distortion, over which laws are fitted.
SEARCHES = [a for a in ATTACKS if TESTS[a]["attack"] in ("ifgsm_search", "cw_l2", "ead")]
UNTARGETED = [
    label
    for attack in ATTACKS
    for label, settings in TESTS[attack]["conditions"].items()
    if "target" not in settings
]
# Matrices of more rows than this in all are drawn attack by attack.
IN_ONE = len(UNTARGETED) * len(MODELS) <= 100
MATRICES = ["transfer"] if IN_ONE else [f"transfer/{attack}" for attack in ATTACKS]
DRAWS = {"transfer": "draw_attack_transfer", "framework": "draw_framework"}
RELATIONS = {
    model: {key: entry[key] for key in ("stands_for", "relation")}
    for model in MODELS
    if "relation" in (entry := CATALOGUE["models"][model])
}
CELLS = tests_of("clean", "corrupt", "shifted", "novel", "unrecognisable")
SEQUENCES = tests_of("perturbed")
PROBES = tests_of("probe")
CLEVER = [probe for probe in PROBES if TESTS[probe]["probe"] == "clever"]
STRUCTURE = [probe for probe in PROBES if probe not in CLEVER]
SEARCHED = tests_of("searched")
# The settings of a search may be chosen on training images; such a test is for no other table.
SHARED_SEARCHES = [test for test in SEARCHED if "images" not in TESTS[test]]
EVALUATED = config.get("searched_models", MODELS)
CORRUPT, NOVEL, SCRAMBLED = (sets_of(k) for k in ("corrupt", "novel", "unrecognisable"))
PUBLISHED = [test for test in tests_of("corrupt") if TESTS[test]["source"] == "published"]
BUILT = [test for test in tests_of("corrupt") if test not in PUBLISHED]
# Without a place for them, corrupted images are made again in each cell, byte by byte the same.
STREAMED = [] if config.get("store_corrupted", True) else BUILT
TWINS = twins_of(config, CATALOGUE)  # of defended models
FRAMEWORK = config.get("framework", {})
PINS = sorted(path.stem for path in Path("data").glob("*.dvc"))
CHECKS = plugins.names("checks")
SOURCES = [name for name, entry in CATALOGUE["images"].items() if "source" in entry]
LISTED = [name for name, entry in CATALOGUE["images"].items() if "layout" in entry]
RECIPES = [name for name in NOVEL if "novel" in CATALOGUE["images"][name]]
FAMILY = {
    m: CATALOGUE["models"][m].get("family", CATALOGUE["models"][m]["builder"]) for m in MODELS
}
DEPTH = {m: e["depth"] for m in MODELS if "depth" in (e := CATALOGUE["models"][m])}
METHODS = methods_of(MODELS, CATALOGUE["models"])  # of several seeds
SEARCHED_METHODS = methods_of(EVALUATED if SHARED_SEARCHES else [], CATALOGUE["models"])
WRAPPED = [name for name, entry in CATALOGUE["models"].items() if "wraps" in entry]
OWN = {name: entry for name, entry in CATALOGUE["models"].items() if name not in WRAPPED}
TRAINED = [name for name, entry in OWN.items() if "training" in entry]
TAUGHT = [name for name in TRAINED if "searched" in OWN[name]["training"]]  # by searched images
PREPARED = [name for name in OWN if name not in TRAINED]
TRAINED_GENERATORS = [name for name, e in CATALOGUE["generators"].items() if "training" in e]
PREPARED_GENERATORS = [name for name in CATALOGUE["generators"] if name not in TRAINED_GENERATORS]


def one_of(ids):
    """Return the pattern of exactly these ids; of nothing if there are none."""
    return "|".join(ids) or "(?!)"


wildcard_constraints:
    images=one_of([*SOURCES, *LISTED]),
    source=one_of(PINS),
    view=one_of(CATALOGUE["views"]),
    corruption=one_of(dict.fromkeys(CORRUPT)),
    novel=one_of(RECIPES),
    recipe=one_of(SCRAMBLED),
    model=r"[^/]+",  # an alternation of all ids takes long to compile, once an output
    test=one_of([*CELLS, *SEQUENCES]),
    attack=one_of(ATTACKS),
    searched=one_of(SEARCHED),
    generator=one_of(CATALOGUE["generators"]),


# What stands beside published numbers, as far as the study has it.
COMPARED = ["accuracy", "accuracy_by_test"]
COMPARED += ["corruption_error", "mean_corruption_error"] if CORRUPT else []
COMPARED += ["flip_rate", "mean_flip_rate"] if SEQUENCES else []
COMPARED += ["detection"] if NOVEL or SCRAMBLED else []
PUBLISHED_FILES = sorted(map(str, Path("config/published").rglob("*.csv")))
FORMATS = sorted(
    str(path)
    for package in ("formats", "recomputed")
    for path in Path(f"robusteval/published/{package}").glob("*.py")
)
SETS = image_sets_of(config, CATALOGUE)

TABLES = ["checks", "published", "accuracy", "accuracy_by_test", "dar", "dar_by_set"]
TABLES += ["dar_by_score", "dar_sensitivity", "kind_ranks", "kind_ranking"]
TABLES += ["calibration", "selective"]
FIGURES = ["examples", "accuracy", "dar", "dar_curve", "kind_ranking", "confidence"]
if CORRUPT:
    TABLES += ["corruption_error", "mean_corruption_error"]
    FIGURES += ["corruption_error"]
if SEQUENCES:
    TABLES += ["flip_rate", "mean_flip_rate"]
if ATTACKS:
    TABLES += ["attacks", "storage", "transfer", "transfer_sources"]
    FIGURES += ["adversarial_examples", "success", *MATRICES, "transfer_sources"]
if SEARCHES or CLEVER:
    TABLES += ["laws", "law_points", "law_effects"]
    FIGURES += ["laws"]
if SEARCHES:
    FIGURES += ["laws_common"]
if CLEVER:
    TABLES += ["clever"]
if STRUCTURE:
    TABLES += ["boundary_distance", "noise_insensitivity", "neurons"]
if SEARCHED:
    TABLES += ["oracles", "fmr", "fmr_gates", "fmr_settings", "fmr_transfer"]
    FIGURES += ["searched_examples"] if SHARED_SEARCHES else []
    FIGURES += ["searched_loss", "searched_settings"]
if SHARED_SEARCHES:
    TABLES += ["fmr_differences"]
if NOVEL or SCRAMBLED:
    TABLES += ["detection", "detection_groups"]
if CORRUPT and (NOVEL or SCRAMBLED):
    TABLES += ["detection_full_spectrum"]
if FRAMEWORK:
    TABLES += ["coverage", *(["behaviour", "imperceptibility"] if ATTACKS else [])]
    TABLES += ["twins"] if TWINS else []
    TABLES += ["framework"]
    FIGURES += [f"framework/{model}" for model in MODELS]
if METHODS:
    TABLES += ["accuracy_by_method", "dar_by_method"]
    FIGURES += ["accuracy_by_method", "dar_by_method"]
if SEARCHED_METHODS:
    TABLES += ["fmr_by_method"]
    FIGURES += ["fmr_by_method"]
# A figure in a folder of its own is one of several that a rule draws.
DRAWINGS = [DRAWS.get(str(Path(name).parent), f"draw_{name}") for name in FIGURES]
