"""Running checks, so that a bad model is found out and stops nothing."""

from collections.abc import Iterator

from robusteval import plugins
from robusteval.checks._finding import Finding
from robusteval.checks._subject import Subject, reason


def run(name: str, subject: Subject) -> Finding:
    """Return what check ``name`` finds; wrong, with the error's line, if the model makes it fail.

    Raises:
        ValueError: there is no such check; the message lists those there are.
    """
    check = plugins.load("checks", name)
    try:
        finding: Finding = check(subject)
    except Exception as error:  # a model may raise anything
        return Finding(
            name,
            "wrong",
            f"It could not be measured: {reason(error)}.",
            "What fails on a few clean images fails in the cells that follow.",
        )
    return finding


def run_all(subject: Subject) -> Iterator[Finding]:
    """Yield the findings of all checks, sorted by their names, each as it is made."""
    for name in plugins.names("checks"):
        yield run(name, subject)
