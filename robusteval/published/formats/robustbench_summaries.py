"""RobustBench's summary of each model, gathered from its JSON files into one table."""

from pathlib import Path

from robusteval.published._row import About, Row
from robusteval.published.formats._cells import lines_of
from robusteval.published.formats.robustbench_json import summary


def robustbench_summaries(path: str | Path, about: About) -> list[Row]:
    """Return clean, robust and corruption accuracies and mCE of RobustBench's entries.

    The table has a line an entry, with the columns ``dataset``, ``threat_model``, ``model`` and
    those of the JSON files that there are.
    """
    rows = []
    for place, cells in lines_of(path, ("dataset", "threat_model", "model", "clean_acc")):
        board = cells["dataset"], cells["threat_model"]
        rows += summary(cells["model"], board, cells, about, place)
    return rows
