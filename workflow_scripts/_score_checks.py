"""The scores of a study, checked before any job starts: what those of features are fitted on."""

from pathlib import Path

from robusteval import plugins
from workflow_scripts._catalogue import classes_of
from workflow_scripts._parameters import fits
from workflow_scripts._schema import Mapping, StudyError, enough, known

WITHOUT_FEATURES = ("torchscript",)  # builders of networks that nobody can look into


def feature_scores(study: Mapping) -> list[str]:
    """Return the scores of a study that look at features."""
    names = plugins.names("feature_scores")
    return [score for score in study.get("scores", []) if score in names]


def check_scores(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that there are such scores, and training images for those of features.

    Raises:
        StudyError: there are not, or a model of the study has no features.
    """
    names = plugins.names("feature_scores")
    known(name, "scores", study.get("scores", []), [*plugins.names("scores"), *names])
    about = study.get("features", {})
    library = Path(plugins.__file__).parent / "feature_scores"
    for score, values in about.get("settings", {}).items():
        known(name, "features.settings", [score], names)
        fits(name, f"features.settings.{score}", values, library, score, "fit")
    named = feature_scores(study)
    if not named:
        return
    if not about:
        raise StudyError(
            f"{name}: features is missing; {named[0]} is fitted on training images: say how many, "
            f"as in features: {{count: 5000}}"
        )
    for model in study["models"]:
        _check_model(model, study, catalogue, name, named[0])


def _check_model(model: str, study: Mapping, catalogue: Mapping, name: str, score: str) -> None:
    entry, about = catalogue["models"][model], study["features"]
    if entry["builder"] in WITHOUT_FEATURES:
        raise StudyError(
            f"{name}: scores: {score} needs features, which {model} does not give, as a model of "
            f"the builder {entry['builder']}: leave the score or the model out"
        )
    if "training" in entry:
        enough(f"{name}: features.count: {model}", about["count"], entry["training"]["count"])
        return
    if "images" not in about:
        raise StudyError(
            f"{name}: features: images is missing; {score} is fitted on training images of "
            f"{model}, which was not trained here: name an image set of its classes"
        )
    images = about["images"]
    sets = {i: e for i, e in catalogue["images"].items() if "classes" in e}
    known(name, "features.images", [images], sets)
    if sets[images]["classes"] != classes_of(entry, catalogue):
        raise StudyError(
            f"{name}: features.images: the classes of {model} are not those of {images}"
        )
    if (exist := sets[images].get("count")) is not None:
        enough(f"{name}: features.count: {images}", about["count"], exist)
