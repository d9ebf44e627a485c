"""What all rules share: the study, checked; the catalogue; wildcard constraints.

INPUTS: the study (config), config/catalogue/*.yaml, config/schema.yaml
OUTPUTS: CATALOGUE, TESTS, MODELS and a few input functions
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, workflow.basedir)
from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._code import code_of
from workflow_scripts._job import has_devices
from workflow_scripts._schema import StudyError
from workflow_scripts._study import check_study

# Idle threads that spin take the cores from other jobs: two jobs of two threads on two cores were
# 4 times slower than of one thread each, and 1.3 times with this. Read when a job loads torch.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

CONFIG = Path(workflow.basedir) / "config"
try:
    CATALOGUE = load_catalogue(CONFIG)
    check_study(config, CATALOGUE, CONFIG, [str(path) for path in workflow.configfiles])
except StudyError as error:
    raise SystemExit(f"{error}")  # one line for a person instead of a traceback

# On one machine without a device, `gpu` must not hold back the jobs: they run on the cores.
GPU = 0 if workflow.local_exec and not has_devices() else 1

MODELS = config["models"]
TESTS = {test: CATALOGUE["tests"][test] for test in config["tests"]}


def tests_of(*kinds):
    """Return the ids of the study's tests of these kinds."""
    return [test for test, entry in TESTS.items() if entry["kind"] in kinds]


def sets_of(*kinds):
    """Return the ids of the derived image sets of the study's tests of these kinds."""
    return [name for test in tests_of(*kinds) for name in TESTS[test]["sets"]]


ATTACKS = tests_of("adversarial")
CELLS = tests_of("clean", "corrupt", "novel", "unrecognisable")
CORRUPT, NOVEL, SCRAMBLED = (sets_of(k) for k in ("corrupt", "novel", "unrecognisable"))
SOURCES = [name for name, entry in CATALOGUE["images"].items() if "source" in entry]


def one_of(ids):
    """Return the pattern of exactly these ids; of nothing if there are none."""
    return "|".join(ids) or "(?!)"


wildcard_constraints:
    images=one_of(SOURCES),
    source=one_of(sorted({CATALOGUE["images"][name]["source"] for name in SOURCES})),
    corruption=one_of(CORRUPT),
    novel=one_of(NOVEL),
    recipe=one_of(SCRAMBLED),
    model=one_of(CATALOGUE["models"]),
    test=one_of(CELLS),
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


def image_sets(wildcards):
    """Return the cards of a test's image sets: the derived ones it names, or the study's own."""
    sets = TESTS[wildcards.test].get("sets")
    if sets is None:
        return ["<clean>/card.json"]
    return expand("<study>/images/{name}/card.json", name=sets)


def training_images(wildcards):
    """Return the card of the image set that a model is trained on."""
    return f"results/images/{CATALOGUE['models'][wildcards.model]['training']['images']}/card.json"


def tested_on(wildcards):
    """Return the card of the image set that a model's clean accuracy is measured on."""
    return (
        f"results/images/{CATALOGUE['models'][wildcards.model]['training']['tested_on']}/card.json"
    )


def receipt(wildcards):
    """Return the receipt of an image set's raw files."""
    return f"results/images/raw/{CATALOGUE['images'][wildcards.images]['source']}.json"


def family(wildcards):
    """Return the family whose severities a corruption of this study has."""
    tests = (TESTS[test] for test in tests_of("corrupt"))
    return next(test["family"] for test in tests if wildcards.corruption in test["sets"])


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


TABLES = ["accuracy", "accuracy_by_test", "dar", "dar_by_set"]
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
