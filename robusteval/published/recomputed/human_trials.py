"""Accuracy, shape bias and error consistency of people and networks from their trials."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations
from pathlib import Path

from robusteval.published._comparison import Comparison, to_the_digit
from robusteval.published._row import Row
from robusteval.published.agreement import Answers, mean_error_consistency
from robusteval.published.recomputed._listed import listed
from robusteval.published.trials import (
    PEOPLE,
    Trial,
    accuracy,
    by_subject,
    read_trials,
    shape_bias,
)

LAYOUT = "model_vs_human"
ALL = "people"  # the model of a row that pools all persons
AND = " and "  # between two subjects
Subjects = Mapping[str, Sequence[Trial]]
POOLED: Mapping[str, Callable[[Sequence[Trial]], float]] = {
    "accuracy": accuracy,
    "shape_bias": shape_bias,
}


def human_trials(rows: Sequence[Row], *, folder: str | Path) -> list[Comparison]:
    """Return published numbers on trials beside those computed from the files of the trials.

    ``accuracy`` and ``shape_bias`` are of a subject or, pooled, of all "people";
    ``error_consistency`` is of two of them ("resnet50 and people"), the mean over pairs of
    different subjects. Trials of all conditions are pooled. A number whose trials are not there is
    left out.
    """
    compared = []
    for test in dict.fromkeys(row.test for row in rows):
        paths = listed(folder, LAYOUT, test)
        if not paths:
            continue
        own = by_subject(chain.from_iterable(map(read_trials, paths)))
        for row in rows:
            if row.test == test and not row.condition and row.place not in map(str, paths):
                compared += _compared(row, own)
    return compared


def _compared(row: Row, own: Subjects) -> list[Comparison]:
    if row.what in POOLED and (who := _of(row.model, own)):
        value = POOLED[row.what]([t for subject in who for t in own[subject]])
    elif row.what == "error_consistency" and (pairs := _pairs(row.model, own)):
        answers = {s: _answers(own[s]) for pair in pairs for s in pair}
        value = mean_error_consistency((answers[a], answers[b]) for a, b in pairs)
    else:
        return []
    return [to_the_digit(value * row.scale_of_share, row)]


def _of(name: str, own: Subjects) -> list[str]:
    """Return the subjects that a name means, [] if their trials are not there."""
    if name == ALL:
        return [subject for subject in own if subject.startswith(PEOPLE)]
    return [name] if name in own else []


def _pairs(name: str, own: Subjects) -> list[tuple[str, str]]:
    """Return the pairs of different subjects that "A and B", or "people" among each other, mean."""
    if name == ALL:
        return list(combinations(_of(ALL, own), 2))
    first, _, second = name.partition(AND)
    return [(a, b) for a in _of(first, own) for b in _of(second, own) if a != b]


def _answers(trials: Sequence[Trial]) -> Answers:
    """Return whether a subject was right, by what was shown; the first time, if shown twice."""
    found: dict[object, bool] = {}
    for trial in trials:
        found.setdefault(trial.shown, trial.right)
    return found
