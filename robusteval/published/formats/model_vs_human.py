"""Trials of people and networks, as model-vs-human publishes them: a line a shown image."""

from collections import defaultdict
from pathlib import Path

from robusteval.published._row import About, Row
from robusteval.published.formats._cells import named_test
from robusteval.published.trials import read_trials

DIGITS = 6


def model_vs_human(path: str | Path, about: About) -> list[Row]:
    """Return each subject's accuracy over the 16 classes, by condition and over all, as fractions.

    A response of "na", given too late or not at all, counts as wrong; n is the number of trials.
    """
    test = named_test(path, about, "model_vs_human_sketch")
    right: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for trial in read_trials(path):
        for condition in dict.fromkeys(("", trial.condition)):
            right[trial.subject, condition].append(trial.right)
    conditions = {condition for _, condition in right} - {""}
    rows = []
    for (subject, condition), answers in right.items():
        if condition and len(conditions) == 1:
            continue  # it would say the same twice
        said: dict[str, str | int] = {"test": test, "condition": condition, "unit": "fraction"}
        said |= {"n": len(answers), "grade": "computed"}
        share = f"{sum(answers) / len(answers):.{DIGITS}f}"
        rows.append(about.row(subject, share, str(path), **said))
    return rows
