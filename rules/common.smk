"""What all rules share: the study, checked; the catalogue; wildcard constraints.

INPUTS: the study (config), config/catalogue/*.yaml, config/schema.yaml
OUTPUTS: CATALOGUE, TESTS, MODELS and a few input functions
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, workflow.basedir)
from robusteval import plugins
from robusteval.images._view import AS_STORED
from workflow_scripts._catalogue import view_of
from workflow_scripts._code import code_of
from workflow_scripts._job import has_devices
from workflow_scripts._schema import StudyError
from workflow_scripts._study import check_study, folder_of, image_sets_of

# Idle threads that spin take the cores from other jobs: two jobs of two threads on two cores were
# 4 times slower than of one thread each, and 1.3 times with this. Read when a job loads torch.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

CONFIG = Path(workflow.basedir) / "config"
try:
    CATALOGUE = check_study(config, CONFIG, [str(path) for path in workflow.configfiles])
except StudyError as error:
    raise SystemExit(f"{error}")  # one line for a person instead of a traceback

# On one machine without a device, `gpu` must not hold back the jobs: they run on the cores.
GPU = 0 if workflow.local_exec and not has_devices() else 1

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
CELLS = tests_of("clean", "corrupt", "shifted", "novel", "unrecognisable")
SEQUENCES = tests_of("perturbed")
CORRUPT, NOVEL, SCRAMBLED = (sets_of(k) for k in ("corrupt", "novel", "unrecognisable"))
PUBLISHED = [test for test in tests_of("corrupt") if TESTS[test]["source"] == "published"]
BUILT = [test for test in tests_of("corrupt") if test not in PUBLISHED]
# Without a place for them, corrupted images are made again in each cell, byte by byte the same.
STREAMED = [] if config.get("store_corrupted", True) else BUILT
PINS = sorted(path.stem for path in Path("data").glob("*.dvc"))
CHECKS = plugins.names("checks")
SOURCES = [name for name, entry in CATALOGUE["images"].items() if "source" in entry]
LISTED = [name for name, entry in CATALOGUE["images"].items() if "layout" in entry]
RECIPES = [name for name in NOVEL if "novel" in CATALOGUE["images"][name]]
TRAINED = [name for name, entry in CATALOGUE["models"].items() if "training" in entry]


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
    model=one_of(CATALOGUE["models"]),
    test=one_of([*CELLS, *SEQUENCES]),
    attack=one_of(ATTACKS),


def code(package, item):
    """Return an input function: the source files of an item of ``robusteval/<package>``.

    ``item`` is its name, with wildcards, or a ``lookup`` that finds it.
    """

    def files(wildcards):
        name = item(wildcards) if callable(item) else item.format(**wildcards)
        return code_of(f"robusteval/{package}/{name}.py")

    return files


BUILDER = code("models", lookup(dpath="{model}/builder", within=CATALOGUE["models"]))


def table(path, name, detail):
    """Mark a table for the report; its caption has its name."""
    caption = f"../report/{Path(path).stem}.rst"
    return report(
        path,
        caption=caption,
        category="Tables",
        labels={"table": name, "detail": detail},
    )


def figure(path, name):
    """Mark a figure for the report; its caption has the name of the rule that draws it."""
    caption = f"../report/draw_{Path(path).stem}.rst"
    return report(path, caption=caption, category="Figures", labels={"figure": name})


def clean_of(wildcards):
    """Return the card of the study's images in the view of a model."""
    return f"<clean>/{VIEW[wildcards.model]}/card.json"


def image_sets(wildcards):
    """Return the cards of a test's image sets in the view of a model."""
    return sets_in(VIEW[wildcards.model], wildcards.test)


def sets_in(view, test):
    """Return the cards of a test's image sets in a view."""
    sets = TESTS[test].get("sets")
    if sets is None or test in STREAMED:
        return [f"<clean>/{view}/card.json"]
    return [
        (
            f"results/images/{name}/{view}/card.json"
            if name in CATALOGUE["images"] and name not in RECIPES
            else f"<study>/images/{view}/{test}/{name}/card.json"
        )
        for name in sets
    ]


def shown(kind):
    """Return the cards of the image sets of a kind that the figures of examples show."""
    tests = [test for test in tests_of(kind) if test not in STREAMED]
    return [card for test in tests for card in sets_in(VIEW[SHOWN], test)]


def training_images(wildcards):
    """Return the card of the image set that a model is trained on."""
    images = CATALOGUE["models"][wildcards.model]["training"]["images"]
    return f"results/images/{images}/{AS_STORED}/card.json"


def tested_on(wildcards):
    """Return the card of the image set that a model's clean accuracy is measured on."""
    images = CATALOGUE["models"][wildcards.model]["training"]["tested_on"]
    return f"results/images/{images}/{AS_STORED}/card.json"


def listed(wildcards):
    """Return what is to be listed: the entry of an image set, and where its files lie."""
    entry = CATALOGUE["images"][wildcards.images]
    folder = folder_of(config, CATALOGUE, wildcards.images)
    return entry | {"folder": folder, "on_unreadable": config.get("on_unreadable", "error")}


def published_folder(wildcards):
    """Return where the study has the published images of a test's family."""
    return config["folders"][TESTS[wildcards.test]["family"]]


def receipt(wildcards):
    """Return the receipt of an image set's raw files."""
    return f"results/images/raw/{CATALOGUE['images'][wildcards.images]['source']}.json"


def fetched(item):
    """Return an input function: the receipt of the files that an item needs, if it has a pin."""

    def receipts(wildcards):
        name = item(wildcards) if callable(item) else item.format(**wildcards)
        return [f"results/images/raw/{name}.json"] if name in PINS else []

    return receipts


def streamed_code(wildcards):
    """Return the source files of the corruptions that a cell makes itself."""
    names = TESTS[wildcards.test]["sets"] if wildcards.test in STREAMED else []
    return [file for name in names for file in code_of(f"robusteval/corruptions/{name}.py")]


def count(wildcards):
    """Return the number of images of a test."""
    return config["counts"][TESTS[wildcards.test]["kind"]]


def records_of(*kinds):
    """Return the records of all cells of these kinds, in the order of the study."""
    return expand("<study>/records/{model}/{test}.parquet", model=MODELS, test=tests_of(*kinds))


def transfers():
    """Return the transfer records of all attacks and target models."""
    return expand("<study>/transfer/{attack}/{model}.parquet", attack=ATTACKS, model=MODELS)


def adversarials():
    """Return the cards of all adversarial sets."""
    return expand("<study>/adversarial/{model}/{attack}/card.json", model=MODELS, attack=ATTACKS)


TABLES = ["checks", "accuracy", "accuracy_by_test", "dar", "dar_by_set"]
FIGURES = ["examples", "accuracy", "dar", "confidence"]
if CORRUPT:
    TABLES += ["corruption_error", "mean_corruption_error"]
    FIGURES += ["corruption_error"]
if ATTACKS:
    TABLES += ["attacks", "transfer"]
    FIGURES += ["adversarial_examples", "transfer"]
if NOVEL or SCRAMBLED:
    TABLES += ["detection"]
DRAWINGS = [f"draw_{name}" for name in FIGURES]
