"""Models that are programs of somebody: they run only in a study that says so."""

from workflow_scripts._schema import Mapping, StudyError

PROGRAMS = {"torchscript": "a TorchScript program", "function": "a Python function"}


def check_trust(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that a study whose models are programs says ``trust: true``.

    Raises:
        StudyError: it does not; the message says what trust means.
    """
    if study.get("trust", False):
        return
    for model in study["models"]:
        entry = catalogue["models"][model]
        if entry["builder"] in PROGRAMS:
            what = entry["arguments"].get("function") or entry.get("weights", {}).get("file", "")
            raise StudyError(
                f"{name}: trust: {model} is {PROGRAMS[entry['builder']]} ({what}); it runs with "
                f"all your rights and may read, change or send whatever you can; if you know where "
                f"it comes from, say trust: true"
            )
