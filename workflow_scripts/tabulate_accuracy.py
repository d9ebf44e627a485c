"""Tabulate accuracy: by test, condition and severity, and one number a test."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from robusteval.intervals import normal
from robusteval.records import OK, Records
from workflow_scripts._tables import (
    Cells,
    own,
    percent,
    rate_with_interval,
    read_cells,
    read_transfers,
    write_table,
)

VALUE = "accuracy_pct_higher_better"
COLUMNS = ["model", "test", "condition", "severity", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", "status"]
BY_TEST = ["model", "test", "conditions", "n", VALUE, "low95_pct", "high95_pct", "interval"]
BY_TEST += ["status"]


def by_condition(cells: Cells) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, test, condition and severity."""
    for (model, test), records in cells.items():
        row = {"model": model, "test": test, "status": records.status}
        if records.status != OK:
            yield {**row, "n": 0}
        for (condition, severity), part in records.frame.groupby(
            ["condition", "severity"], sort=False
        ):
            right = int((part["prediction"] == part["label"]).sum())
            where = {"condition": condition, "severity": severity, "n": len(part)}
            yield {**row, **where, **rate_with_interval(right, len(part), VALUE)}


def by_test(cells: Cells, titles: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and test, and one for the worst case of all attacks.

    ``titles`` maps attacks to their titles: each of their conditions is a test of its own. The
    conditions of any other test are averaged, image by image.
    """
    models = dict.fromkeys(model for model, _ in cells)
    for model in models:
        own_cells = {test: r for (m, test), r in cells.items() if m == model}
        for test, records in own_cells.items():
            if records.status != OK:
                yield {"model": model, "test": titles.get(test, test), "n": 0} | {
                    "status": records.status
                }
            elif test in titles:
                for condition in records.frame["condition"].unique():
                    right = _right(records, condition)
                    yield _row(model, f"{titles[test]}, {condition}", 1, right)
            else:
                conditions = records.frame[["condition", "severity"]].drop_duplicates()
                yield _row(model, test, len(conditions), _right(records))
        attacks = [records for test, records in own_cells.items() if test in titles]
        if not attacks:
            continue
        if broken := [records.status for records in attacks if records.status != OK]:
            yield {"model": model, "test": "worst attack", "n": 0, "status": broken[0]}
        else:
            worst = np.min(
                [_right(r, c) for r in attacks for c in r.frame["condition"].unique()], 0
            )
            yield _row(
                model, "worst attack", sum(r.frame["condition"].nunique() for r in attacks), worst
            )


def _right(records: Records, condition: str | None = None) -> np.ndarray:
    """Return, image by image in the order of their ids, the share of conditions it is right in."""
    frame = records.frame
    if condition is not None:
        frame = frame[frame["condition"] == condition]
    return frame["prediction"].eq(frame["label"]).groupby(frame["image_id"]).mean().to_numpy()


def _row(model: str, test: str, conditions: int, right: np.ndarray) -> dict[str, Any]:
    row = {"model": model, "test": test, "conditions": conditions, "n": len(right), "status": OK}
    if np.isin(right, (0, 1)).all():
        values = rate_with_interval(int(right.sum()), len(right), VALUE)
        low, high = values["wilson95_low_pct"], values["wilson95_high_pct"]
        kind = "Wilson"
        value = values[VALUE]
    else:
        low, high = (percent(bound) for bound in normal(right))
        kind, value = "normal, over images", percent(float(right.mean()))
    return {**row, VALUE: value, "low95_pct": low, "high95_pct": high, "interval": kind}


def tabulate_accuracy(
    records: list[str], transfers: list[str], titles: dict[str, str], accuracy: str, tests: str
) -> None:
    """Write both tables; the accuracy under attack is that on the images read back from disk."""
    cells = {key: r for key, r in read_cells(records).items()}
    attacked = {key: own(r, key[0]) for key, r in read_transfers(transfers).items()}
    cells |= attacked
    write_table(accuracy, by_condition(cells), COLUMNS)
    write_table(tests, by_test(cells, titles), BY_TEST)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_accuracy(
            list(snakemake.input.records),
            list(snakemake.input.transfers),
            snakemake.params.titles,
            snakemake.output.accuracy,
            snakemake.output.tests,
        )
