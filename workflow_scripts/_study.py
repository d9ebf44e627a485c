"""A study: one config file, checked before any job starts."""

from pathlib import Path

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


def check_study(study: Mapping, catalogue: Mapping, config: Path, files: list[str]) -> None:
    """Check a study against the schema and the catalogue, before any job starts.

    Raises:
        StudyError: with the file, the key, the value and the allowed values in one line.
    """
    name = ", ".join(short(Path(file)) for file in files)
    if not study:
        raise StudyError("no study: name one with --configfile config/demo.yaml")
    for file in files:
        load_yaml(Path(file))
    validate(study, definition(config, "study"), name)
    known_sets = {i: e for i, e in catalogue["images"].items() if "source" in e}
    known(name, "images", [study["images"]], known_sets)
    known(name, "models", study["models"], catalogue["models"])
    known(name, "tests", study["tests"], catalogue["tests"])
    known(name, "baseline", [study["baseline"]], study["models"])
    _check_tests(study, catalogue, name)
    images = known_sets[study["images"]]
    for model in study["models"]:
        trained_on = known_sets[catalogue["models"][model]["training"]["images"]]
        if [trained_on[k] for k in ("classes", "shape")] != [
            images[k] for k in ("classes", "shape")
        ]:
            raise StudyError(
                f"{name}: models: {model} is trained on images whose classes or shape differ from "
                f"those of {study['images']}"
            )


def _check_tests(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the tests go together and that as many images exist as each asks for."""
    tests = {test: catalogue["tests"][test] for test in study["tests"]}
    if "clean" not in tests:
        raise StudyError(f"{name}: tests: clean is missing; the others are measured beside it")
    if shared := twice([s for test in tests.values() for s in test.get("sets", [])]):
        raise StudyError(f"{name}: tests: image set {shared[0]!r} belongs to two of the tests")
    exist = catalogue["images"][study["images"]]["count"]
    for test, entry in tests.items():
        kind = entry["kind"]
        if kind not in study["counts"]:
            raise StudyError(f"{name}: counts: {kind} is missing; the test {test} needs it")
        count = study["counts"][kind]
        if kind == "novel":
            for images in entry["sets"]:
                enough(f"{name}: counts: novel", count, catalogue["images"][images]["count"])
        else:
            enough(f"{name}: counts: {kind}", count, exist)
    clean = study["counts"]["clean"]
    for kind in ("corrupt", "adversarial"):
        if (asked := study["counts"].get(kind, 0)) > clean:
            raise StudyError(
                f"{name}: counts: {kind}: {asked} images asked; at most the {clean} of the clean "
                f"test, which says what a model makes of the same images undisturbed"
            )
