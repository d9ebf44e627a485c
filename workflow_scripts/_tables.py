"""Reading cells and writing tables."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from robusteval.files import replacing
from robusteval.intervals import wilson
from robusteval.records import OK, Records, read_records

Cells = dict[tuple[str, str], Records]
"""Records by (model, test)."""


def read_cells(paths: Iterable[str]) -> Cells:
    """Return the records at ``.../{model}/{test}.parquet``, by (model, test)."""
    return {(Path(p).parent.name, Path(p).stem): read_records(p) for p in paths}


def read_transfers(paths: Iterable[str]) -> Cells:
    """Return the records at ``.../{attack}/{target}.parquet``, by (target, attack)."""
    return {(Path(p).stem, Path(p).parent.name): read_records(p) for p in paths}


def own(transfer: Records, model: str) -> Records:
    """Return what a model says about the images made against itself: the white-box verdict."""
    if transfer.status != OK:
        return transfer
    if model in transfer.settings["missing"]:
        return Records(
            transfer.frame.iloc[:0], transfer.logits[:0], transfer.settings["missing"][model]
        )
    rows = (transfer.frame["source"] == model).to_numpy()
    frame = transfer.frame[rows].reset_index(drop=True)
    return Records(frame, transfer.logits[rows], settings=transfer.settings)


def right_images(clean: Records) -> set[int]:
    """Return the ids of the images that a model gets right."""
    frame = clean.frame
    return set(frame.loc[frame["prediction"] == frame["label"], "image_id"])


def percent(rate: float) -> float:
    """Return a rate as a percentage with two decimals."""
    return round(100 * rate, 2)


def rate_with_interval(rate: float, n: int, name: str) -> dict[str, float]:
    """Return a rate of n images and its Wilson interval as columns, in percent."""
    low, high = wilson(round(rate * n), n)
    return {
        name: percent(rate),
        "wilson95_low_pct": percent(low),
        "wilson95_high_pct": percent(high),
    }


def left_out(*cells: Iterable[Records]) -> str:
    """Return which image sets lack images that could not be read, and how many; "" if none."""
    sets: dict[str, int] = {}
    for records in (r for part in cells for r in part):
        sets |= records.settings.get("left_out", {})
    return ", ".join(f"{count} of {name}" for name, count in sets.items())


def write_table(
    path: str | Path,
    rows: Iterable[Mapping[str, Any]],
    columns: list[str],
    *,
    left_out: str = "",
) -> None:
    """Write ``rows`` as CSV; a value that a row lacks is left empty, never 0.

    Images that could not be read and were ``left_out`` are counted in a last column.

    Raises:
        ValueError: a row has a column that is not in ``columns``.
    """
    rows = list(rows)
    if unknown := {key for row in rows for key in row} - set(columns):
        raise ValueError(f"{path}: columns {sorted(unknown)} are not among {columns}")
    frame = pd.DataFrame(rows, columns=columns)
    if left_out:
        frame["unreadable_left_out"] = left_out
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")
