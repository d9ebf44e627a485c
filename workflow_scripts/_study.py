"""A study: one config file, checked before any job starts."""

from pathlib import Path

from robusteval import plugins
from robusteval.images._view import AS_STORED
from workflow_scripts._catalogue import classes_of, load_catalogue, view_of
from workflow_scripts._novel_classes import check_novel_classes
from workflow_scripts._schema import (
    Mapping,
    StudyError,
    definition,
    enough,
    known,
    load_yaml,
    short,
    twice,
    validate,
)
from workflow_scripts._trust import check_trust

KINDS = (
    "clean",
    "corrupt",
    "perturbed",
    "shifted",
    "adversarial",
    "novel",
    "unrecognisable",
    "probe",
)
OWN_COUNT = ("adversarial", "probe")  # kinds whose tests may cost very different times an image


def check_study(study: Mapping, config: Path, files: list[str]) -> Mapping:
    """Return the catalogue of a study: that of ``config`` and the study's own entries.

    The study is checked against the schema and the catalogue, before any job starts.

    Raises:
        StudyError: with the file, the key, the value and the allowed values in one line.
    """
    name = ", ".join(short(Path(file)) for file in files)
    if not study:
        raise StudyError("no study: name one with --configfile config/demo.yaml")
    for file in files:
        load_yaml(Path(file))
    validate(study, definition(config, "study"), name)
    catalogue = load_catalogue(config, study.get("catalogue"), name)
    measured = {
        i: e
        for i, e in catalogue["images"].items()
        if "classes" in e and e.get("others") != "unknown"
    }
    known(name, "images", [study["images"]], measured)
    known(name, "models", study["models"], catalogue["models"])
    known(name, "tests", study["tests"], catalogue["tests"])
    known(name, "scores", study.get("scores", []), plugins.names("scores"))
    known(name, "baseline", [study["baseline"]], [*study["models"], *published_baselines(config)])
    _check_tests(study, catalogue, name)
    check_novel_classes(study, catalogue, name)
    check_trust(study, catalogue, name)
    _check_models(study, catalogue, name)
    _check_folders(study, catalogue, name)
    _check_files(study, catalogue, name)
    return catalogue


def published_baselines(config: Path) -> list[str]:
    """Return the names of the models whose corruption errors are published in ``config``."""
    path = config / "published" / "alexnet_corruption_error.csv"
    rows = path.read_text().splitlines()[1:] if path.is_file() else []
    return list(dict.fromkeys(row.split(",")[0] for row in rows))


def folder_of(study: Mapping, catalogue: Mapping, images: str) -> str | None:
    """Return where the raw files of an image set lie, as the study or the catalogue says."""
    folder = study.get("folders", {}).get(images, catalogue["images"][images].get("folder"))
    return None if folder is None else str(folder)


def count_of(test: str, study: Mapping, catalogue: Mapping) -> int:
    """Return the number of images of a test: its own, or that of its kind."""
    counts = study["counts"]
    return int(counts.get(test, counts[catalogue["tests"][test]["kind"]]))


def image_sets_of(study: Mapping, catalogue: Mapping) -> list[str]:
    """Return the ids of the catalogue's image sets that a study trains and measures models on."""
    tests = [catalogue["tests"][test] for test in study["tests"]]
    named = [s for test in tests if test["kind"] in ("novel", "shifted") for s in test["sets"]]
    recipes = [catalogue["models"][model].get("training", {}) for model in study["models"]]
    trained = [r[key] for r in recipes if r for key in ("images", "tested_on")]
    return list(dict.fromkeys([study["images"], *named, *trained]))


def _check_models(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the models see images of the study's classes in a view that it can give."""
    sets = {i: catalogue["images"][i] for i in image_sets_of(study, catalogue)}
    for model in study["models"]:
        entry = catalogue["models"][model]
        view, classes = view_of(entry), classes_of(entry, catalogue)
        for images, about in sets.items():
            if about.get("classes", classes) != classes:
                raise StudyError(
                    f"{name}: models: the classes of {model} are not those of the image set "
                    f"{images}"
                )
            if "source" in about and view != AS_STORED:
                raise StudyError(
                    f"{name}: models: {model} sees images in the view {view}; those of {images} "
                    f"exist {AS_STORED} only"
                )
        if "training" in entry:
            shape = catalogue["images"][entry["training"]["images"]].get("shape")
            if shape != sets[study["images"]].get("shape"):
                raise StudyError(
                    f"{name}: models: {model} is trained on images whose shape differs from that "
                    f"of {study['images']}"
                )


def _check_files(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the files are there that name images, and that a person's models are made of."""
    for images in image_sets_of(study, catalogue):
        listed = catalogue["images"][images].get("only")
        if listed and not Path(listed).expanduser().is_file():
            raise StudyError(f"{name}: {images}.only: {listed}: no such file here")
    for model in study["models"]:
        entry = catalogue["models"][model]
        weights = entry.get("weights", {})
        code = str(entry["arguments"].get("function", "")).rpartition(":")[0]
        files = {"weights.file": weights.get("file")} if "package" not in weights else {}
        files |= {"arguments.function": code} if code.endswith(".py") else {}
        for key, file in files.items():
            if file and not Path(file).expanduser().is_file():
                raise StudyError(f"{name}: {model}.{key}: {file}: no such file here")


def _check_folders(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the study says where the files lie that a person must bring along."""
    for images in image_sets_of(study, catalogue):
        if "layout" in catalogue["images"][images] and not folder_of(study, catalogue, images):
            raise StudyError(
                f"{name}: folders: {images} is missing; say where its files lie, as in "
                f"folders: {{{images}: path}}"
            )
    for test in study["tests"]:
        entry = catalogue["tests"][test]
        family = entry.get("family")
        if entry.get("source") == "published" and family not in study.get("folders", {}):
            raise StudyError(
                f"{name}: folders: {family} is missing; the test {test} reads the published "
                f"images from there"
            )


def _with_own_count(tests: Mapping) -> list[str]:
    return [test for test, entry in tests.items() if entry["kind"] in OWN_COUNT]


def _check_tests(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the tests go together and that as many images exist as each asks for."""
    tests = {test: catalogue["tests"][test] for test in study["tests"]}
    if "clean" not in tests:
        raise StudyError(f"{name}: tests: clean is missing; the others are measured beside it")
    for kind in ("novel", "unrecognisable", "shifted"):
        named = [s for test in tests.values() if test["kind"] == kind for s in test["sets"]]
        if shared := twice(named):
            raise StudyError(f"{name}: tests: image set {shared[0]!r} belongs to two of the tests")
    known(name, "counts", study["counts"], [*KINDS, *_with_own_count(catalogue["tests"])])
    exist = catalogue["images"][study["images"]].get("count")
    for test, entry in tests.items():
        kind = entry["kind"]
        if kind not in study["counts"]:
            raise StudyError(f"{name}: counts: {kind} is missing; the test {test} needs it")
        count = count_of(test, study, catalogue)
        if kind in ("novel", "shifted"):
            available = [catalogue["images"][images].get("count") for images in entry["sets"]]
        else:
            available = [exist]
        for number in available:
            if number is not None:  # else the job that lists the folder will say so
                key = test if test in study["counts"] else kind
                enough(f"{name}: counts: {key}", count, number)
    clean = study["counts"]["clean"]
    for kind in ("corrupt", "adversarial", "perturbed", "probe", *_with_own_count(tests)):
        if (asked := study["counts"].get(kind, 0)) > clean:
            raise StudyError(
                f"{name}: counts: {kind}: {asked} images asked; at most the {clean} of the clean "
                f"test, which says what a model makes of the same images undisturbed"
            )
