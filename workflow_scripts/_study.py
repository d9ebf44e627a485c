"""A study: one config file, checked before any job starts."""

from pathlib import Path

from robusteval.images._view import AS_STORED
from workflow_scripts._catalogue import classes_of, load_catalogue, view_of
from workflow_scripts._counts import check_counts
from workflow_scripts._framework import check_framework, profiled_sets
from workflow_scripts._novel_classes import check_novel_classes
from workflow_scripts._schema import (
    Mapping,
    StudyError,
    definition,
    known,
    load_yaml,
    short,
    twice,
    validate,
)
from workflow_scripts._score_checks import check_scores, feature_scores
from workflow_scripts._searched_study import check_searches, oracle_models
from workflow_scripts._trust import check_trust


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
    check_trust(study, catalogue, name)
    check_scores(study, catalogue, name)
    known(name, "baseline", [study["baseline"]], [*study["models"], *published_baselines(config)])
    _check_tests(study, catalogue, name)
    check_counts(study, catalogue, name)
    check_novel_classes(study, catalogue, name)
    _check_models(study, catalogue, name)
    _check_folders(study, catalogue, name)
    _check_files(study, catalogue, name)
    check_framework(study, catalogue, name)
    check_searches(study, catalogue, name)
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


def image_sets_of(study: Mapping, catalogue: Mapping) -> list[str]:
    """Return the ids of the catalogue's image sets that a study trains and measures models on."""
    tests = [catalogue["tests"][test] for test in study["tests"]]
    named = [s for test in tests if test["kind"] in ("novel", "shifted") for s in test["sets"]]
    made = [*study["models"], *oracle_models(study, catalogue)]
    recipes = [catalogue["models"][model].get("training", {}) for model in made]
    trained = [r[key] for r in recipes if r for key in ("images", "tested_on")]
    fitted = [study["features"]["images"]] if fitted_elsewhere(study, catalogue) else []
    profiled = profiled_sets(study)
    return list(dict.fromkeys([study["images"], *named, *trained, *fitted, *profiled]))


def fitted_elsewhere(study: Mapping, catalogue: Mapping) -> bool:
    """Return whether a model has its scores of features from images that the study names."""
    models = [catalogue["models"][model] for model in study["models"]]
    return bool(feature_scores(study)) and any("training" not in entry for entry in models)


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


def _check_tests(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the tests go together."""
    tests = {test: catalogue["tests"][test] for test in study["tests"]}
    if "clean" not in tests:
        raise StudyError(f"{name}: tests: clean is missing; the others are measured beside it")
    for kind in ("novel", "unrecognisable", "shifted"):
        named = [s for test in tests.values() if test["kind"] == kind for s in test["sets"]]
        if shared := twice(named):
            raise StudyError(f"{name}: tests: image set {shared[0]!r} belongs to two of the tests")
