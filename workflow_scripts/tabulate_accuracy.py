"""Tabulate accuracy: by test, condition and severity, and one number a test."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.intervals import normal
from robusteval.metrics.accuracy import accuracy
from robusteval.records import OK, Records
from workflow_scripts._lists import attack_by_attack
from workflow_scripts._tables import (
    Cells,
    left_out,
    own,
    percent,
    rate_with_interval,
    read_cells,
    read_transfers,
    write_table,
)

VALUE = "accuracy_pct_higher_better"
COLUMNS = ["model", "test", "condition", "severity", "classes", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", "status"]
BY_TEST = ["model", "test", "conditions", "n", VALUE, "low95_pct", "high95_pct", "interval"]
BY_TEST += ["status"]
RELATION = ["stands_for", "relation"]
Relations = Mapping[str, Mapping[str, str]]
"""Of models that stand for those of a paper: for which, and how near they are to them."""


def by_condition(cells: Cells) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, test, condition and severity.

    A set that shows some of the classes only has two: among those, as its numbers are published,
    and among all.
    """
    for (model, test), records in cells.items():
        row = {"model": model, "test": test, "status": records.status}
        if records.status != OK:
            yield {**row, "n": 0}
        for (condition, severity), part in records.frame.groupby(
            ["condition", "severity"], sort=False
        ):
            labels, n = part["label"].to_numpy(), len(part)
            for classes, prediction in _answers(records, condition, part.index.to_numpy()):
                rate = accuracy(labels, prediction)
                where = {"condition": condition, "severity": severity, "classes": classes, "n": n}
                yield {**row, **where, **rate_with_interval(rate, n, VALUE)}


def _answers(
    records: Records, condition: str, rows: NDArray[np.int64]
) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield, by the number of classes that compete, the predictions in ``rows``."""
    every = records.logits.shape[1]
    subset = records.settings.get("subsets", {}).get(condition)
    if subset is not None:
        among = np.asarray(subset)
        yield f"{len(among)} of {every}", among[records.logits[rows][:, among].argmax(1)]
    yield str(every), records.frame["prediction"].to_numpy()[rows]


def by_test(cells: Cells, attacks: list[str], shifted: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and test, and the worst case of the ``attacks`` of a budget.

    Each condition of an attack has a row of its own, and each image set of the ``shifted`` tests
    (two if it shows some of the classes only); the conditions of any other test are averaged, image
    by image. Attacks whose conditions have the same name have the same budget.
    """
    models = dict.fromkeys(model for model, _ in cells)
    for model in models:
        own_cells = {test: r for (m, test), r in cells.items() if m == model}
        for test, records in own_cells.items():
            if records.status != OK:
                yield {"model": model, "test": test, "n": 0, "status": records.status}
            elif test in attacks:
                for condition in records.frame["condition"].unique():
                    right = _right(records, condition)
                    yield _row(model, f"{test}, {condition}", 1, right)
            elif test in shifted or records.settings.get("subsets"):
                yield from _by_set(model, records)
            else:
                conditions = records.frame[["condition", "severity"]].drop_duplicates()
                yield _row(model, test, len(conditions), _right(records))
        yield from _worst(model, {t: r for t, r in own_cells.items() if t in attacks})


def _by_set(model: str, records: Records) -> Iterator[dict[str, Any]]:
    """Yield a row for each image set, two for one that shows some of the classes only."""
    for condition, part in records.frame.groupby("condition", sort=False):
        for classes, prediction in _answers(records, condition, part.index.to_numpy()):
            right = (prediction == part["label"].to_numpy()).astype(float)
            partial = condition in records.settings.get("subsets", {})
            among = f", among {classes} classes" if partial else ""
            yield _row(model, f"{condition}{among}", 1, right)


def _worst(model: str, attacks: dict[str, Records]) -> Iterator[dict[str, Any]]:
    """Yield a row for each budget that several attacks share: the images that survive them all.

    It is over the images that all of them attacked.
    """
    if broken := [r.status for r in attacks.values() if r.status != OK]:
        yield {"model": model, "test": "worst attack", "n": 0, "status": broken[0]}
        return
    budgets = [c for r in attacks.values() for c in r.frame["condition"].unique()]
    for budget in dict.fromkeys(budgets):
        shared = [r for r in attacks.values() if budget in set(r.frame["condition"])]
        if len(shared) > 1:
            right = pd.concat([_by_image(r, budget) for r in shared], axis=1, join="inner")
            yield _row(model, f"worst attack, {budget}", len(shared), right.min(axis=1).to_numpy())


def _right(records: Records, condition: str | None = None) -> np.ndarray:
    """Return, image by image in the order of their ids, the share of conditions it is right in."""
    return _by_image(records, condition).to_numpy()


def _by_image(records: Records, condition: str | None) -> pd.Series:
    frame = records.frame
    if condition is not None:
        frame = frame[frame["condition"] == condition]
    return frame["prediction"].eq(frame["label"]).groupby(frame["image_id"]).mean()


def _row(model: str, test: str, conditions: int, right: np.ndarray) -> dict[str, Any]:
    row = {"model": model, "test": test, "conditions": conditions, "n": len(right), "status": OK}
    if np.isin(right, (0, 1)).all():
        values = rate_with_interval(float(right.mean()), len(right), VALUE)
        low, high = values["wilson95_low_pct"], values["wilson95_high_pct"]
        kind = "Wilson"
        value = values[VALUE]
    else:
        low, high = (percent(bound) for bound in normal(right))
        kind, value = "normal, over images", percent(float(right.mean()))
    return {**row, VALUE: value, "low95_pct": low, "high95_pct": high, "interval": kind}


def tabulate_accuracy(
    records: list[str],
    transfers: list[str],
    attacks: list[str],
    shifted: list[str],
    by_cell: str,
    tests: str,
    *,
    relations: Relations | None = None,
) -> None:
    """Write both tables; the accuracy under attack is that on the images read back from disk.

    Where any model stands for one of a paper, both have columns that say so.
    """
    cells = read_cells(records)
    cells |= {key: own(r, key[0]) for key, r in read_transfers(transfers).items()}
    missing = left_out(cells.values())
    for path, rows, columns in (
        (by_cell, by_condition(cells), COLUMNS),
        (tests, by_test(cells, attacks, shifted), BY_TEST),
    ):
        if relations:
            rows = _related(rows, relations)
            columns = [columns[0], *RELATION, *columns[1:]]
        write_table(path, rows, columns, left_out=missing)


def _related(rows: Iterable[dict[str, Any]], relations: Relations) -> Iterator[dict[str, Any]]:
    """Yield the rows with what their model stands for."""
    for row in rows:
        yield row | relations.get(row["model"], {})


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_accuracy(
            list(snakemake.input.records),
            attack_by_attack(snakemake.input.transfers),
            snakemake.params.attacks,
            snakemake.params.shifted,
            snakemake.output.accuracy,
            snakemake.output.tests,
            relations=snakemake.params.relations,
        )
