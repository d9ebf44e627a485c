"""The evaluation framework's part of a study: image sets for ranges, and defended models' twins."""

from workflow_scripts._catalogue import classes_of
from workflow_scripts._schema import Mapping, StudyError, enough, known


def profiled_sets(study: Mapping) -> list[str]:
    """Return the image set that all models' neurons are profiled on, if the study names one."""
    framework = study.get("framework", {})
    return [framework["profiled_on"]] if "profiled_on" in framework else []


def profile_of(model: str, study: Mapping, catalogue: Mapping) -> tuple[str, int | None, int]:
    """Return what a model's neurons are profiled on: image set, number of images, seed.

    Those are the images it was trained on or the first of them to be drawn, unless the study names
    a set; the number is None for all of one.
    """
    framework = study["framework"]
    asked = framework.get("profile_count")
    if "profiled_on" in framework:
        return framework["profiled_on"], asked, study["seed"]
    training = catalogue["models"][model]["training"]
    return training["images"], min(asked or training["count"], training["count"]), training["seed"]


def twins_of(study: Mapping, catalogue: Mapping) -> dict[str, str]:
    """Return the undefended twin of each defended model of a study that has both."""
    models = study["models"]
    twins = {model: catalogue["models"][model].get("twin") for model in models}
    return {model: twin for model, twin in twins.items() if twin in models}


def architecture_of(entry: Mapping) -> str:
    """Return a model's architecture: its builder with its arguments.

    Activations of one architecture only can be compared.
    """
    return f"{entry['builder']} {sorted(entry['arguments'].items())}"


def check_framework(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that ranges can be had of each model, and that twins know the same classes.

    Raises:
        StudyError: with the file, the key and what is expected.
    """
    for model in study["models"]:
        entry = catalogue["models"][model]
        if "twin" not in entry:
            continue
        known(name, f"models: {model}.twin", [entry["twin"]], catalogue["models"])
        classes = classes_of(entry, catalogue)
        if classes != classes_of(catalogue["models"][entry["twin"]], catalogue):
            raise StudyError(
                f"{name}: models: {model}: its classes are not those of its twin {entry['twin']}; "
                f"the same class list expected"
            )
    framework = study.get("framework")
    if framework is None:
        return
    if "layers" in framework and "types" in framework:
        raise StudyError(f"{name}: framework: layers or types expected, not both")
    if "profiled_on" in framework:
        key = f"{name}: framework: profiled_on"
        sets = {i: e for i, e in catalogue["images"].items() if "classes" in e}
        known(name, "framework: profiled_on", profiled_sets(study), sets)
        exist = sets[framework["profiled_on"]].get("count")
        if exist is not None and "profile_count" in framework:
            enough(key, framework["profile_count"], exist)
        return
    for model in study["models"]:
        if "training" not in catalogue["models"][model]:
            raise StudyError(
                f"{name}: framework: profiled_on is missing; {model} was not trained here, so "
                f"nothing says which images its neurons' ranges are over"
            )
