"""Models that are programs of somebody: they run only in a study that says so."""

from robusteval.models._programs import PROGRAMS, WARNING
from workflow_scripts._schema import Mapping, StudyError
from workflow_scripts._searched_study import oracle_models, taught_by


def check_trust(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that a study that runs models which are programs says ``trust: true``.

    It runs those that it measures, those that judge its searches, and those that others are
    attacked with, or get searched images from, in training.

    Raises:
        StudyError: it does not; the message says what trust means.
    """
    if study.get("trust", False):
        return
    models = [*study["models"], *oracle_models(study, catalogue)]
    recipes = [catalogue["models"][model].get("training", {}) for model in models]
    sources = [[*r.get("sources", []), *taught_by(r, catalogue)] for r in recipes]
    for model in dict.fromkeys([*models, *(source for some in sources for source in some)]):
        entry = catalogue["models"][model]
        if entry["builder"] in PROGRAMS:
            what = entry["arguments"].get("function") or entry.get("weights", {}).get("file", "")
            raise StudyError(
                f"{name}: trust: {model} is {PROGRAMS[entry['builder']]} ({what}); {WARNING}"
            )
