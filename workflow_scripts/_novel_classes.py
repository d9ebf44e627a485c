"""Whether a study's unknown image sets show classes that its models know."""

from robusteval.images._class_lists import NAMES, class_list
from robusteval.images._overlap import shared_classes
from workflow_scripts._schema import Mapping, StudyError, known


def check_novel_classes(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check by name that no class of the study's novel sets is one of its images' classes.

    Only sets whose entry says what they ``show`` can be checked.

    Raises:
        StudyError: a class is in both, or a list of classes is unknown.
    """
    own = _names(catalogue["images"][study["images"]].get("classes", []))
    tests = [catalogue["tests"][test] for test in study["tests"]]
    for images in [s for test in tests if test["kind"] == "novel" for s in test["sets"]]:
        entry = catalogue["images"][images]
        if isinstance(shown := entry.get("shows", []), str):
            known(name, f"{images}.shows", [shown], NAMES)
        if pairs := shared_classes(own, _names(shown)):
            there, here = pairs[0]
            count = f" ({len(pairs)} such classes)" if len(pairs) > 1 else ""
            raise StudyError(
                f"{name}: tests: the image set {images} shows {here!r}, which is {there!r} of "
                f"{study['images']} and so known{count}; leave the set out, or those images"
            )


def _names(classes: str | list[str]) -> list[str]:
    return list(class_list(classes)) if isinstance(classes, str) else list(classes)
