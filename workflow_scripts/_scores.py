"""Scored cells: what a table needs of a cell's records, without the logits."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from robusteval.records import OK, Records, failed, read_records
from workflow_scripts._lists import expanded

PROBABILITY = "max_softmax"
"""The score whose exponential is the probability of the predicted class; every cell has it."""

UNSCORED = "unscored"
"""The setting of a scored cell that says which scores its model does not have, and why."""

Cells = dict[str, Records]
"""Scored cells of one model, by test."""


def models_of(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the paths ``.../{model}/{test}.parquet`` by model, in order."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(Path(path).parent.name, []).append(path)
    return found


def scored_files(paths: Iterable[str], tests: Iterable[str]) -> list[str]:
    """Return scored cells, those that lists name among them, each model's in the order of tests."""
    place = {test: number for number, test in enumerate(tests)}
    models = models_of(expanded(paths)).values()
    return [path for own in models for path in sorted(own, key=lambda p: place[Path(p).stem])]


def read_models(paths: Iterable[str]) -> Iterator[tuple[str, Cells]]:
    """Yield each model and its scored cells: one model at a time is in memory."""
    for model, own in models_of(paths).items():
        yield model, {Path(path).stem: read_records(path) for path in own}


def parts(records: Records) -> Iterator[tuple[str, Any, pd.DataFrame]]:
    """Yield condition, severity and rows of each image set of a cell; none of a broken one."""
    if records.status == OK:
        for (condition, severity), frame in records.frame.groupby(
            ["condition", "severity"], sort=False
        ):
            yield condition, severity, frame


def with_score(records: Records, score: str) -> Records:
    """Return a scored cell, or the broken one that it is for a score that its model lacks."""
    reason = records.settings.get(UNSCORED, {}).get(score)
    return failed(reason, records.settings) if reason and records.status == OK else records


def clean_of(cells: Cells, kinds: dict[str, str]) -> Records:
    """Return the cell of the clean test."""
    return next(records for test, records in cells.items() if kinds[test] == "clean")


def bare(records: Records) -> Records:
    """Return a cell without its rows: what says how it went, light enough to keep of every one."""
    return Records(records.frame.iloc[:0], records.logits[:0], records.status, records.settings)
