"""One number a model: accuracy and distortion or CLEVER score, from the tables of a study."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from robusteval.records import OK
from workflow_scripts import tabulate_accuracy, tabulate_attacks, tabulate_clever
from workflow_scripts._populations import SOURCE

STATISTICS = {
    "mean of successes": "{}_mean_of_successes_scale_0_1",
    "median, failures infinite": "{}_median_failures_infinite_scale_0_1",
}
MEAN = next(iter(STATISTICS))
SCORE = "mean score"
PERFECT = "accuracy 100%: no logarithm"
CONDITION = ["attack", "condition", "goal", "population"]
POINT = [*CONDITION, "norm", "statistic"]


def points(
    accuracy: pd.DataFrame, attacks: pd.DataFrame, families: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each attack condition, population, norm, statistic and model.

    The accuracy is that of the clean test. A model that cannot be a point has the reason in
    ``status``: its cell failed, its accuracy is 100% (which has no logarithm), or the statistic
    does not exist.
    """
    clean = _clean(accuracy)
    without = attacks["condition"].isna()
    broken = {(r["model"], r["attack"]): r for r in attacks[without].to_dict("records")}
    measured = attacks[~without]
    cells = {tuple(r[c] for c in (*CONDITION, "model")): r for r in measured.to_dict("records")}
    for key in measured[CONDITION].drop_duplicates().itertuples(index=False, name=None):
        for norm in tabulate_attacks.SIZES:
            for statistic, column in STATISTICS.items():
                for model in clean:
                    row = dict(zip(POINT, (*key, norm, statistic), strict=True))
                    row |= {"model": model, "family": families.get(model)}
                    row["accuracy_pct"] = clean[model][tabulate_accuracy.VALUE]
                    failed = broken.get((model, key[0]), {"status": "not attacked"})
                    cell = cells.get((*key, model), failed)
                    yield {**row, **_point(clean[model], cell, column.format(norm))}


def clever_points(
    accuracy: pd.DataFrame, clever: pd.DataFrame, families: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each CLEVER test, condition, target, norm and model: the mean score.

    The score stands for the distortion that it is an estimate of.
    """
    clean = _clean(accuracy)
    without = clever["condition"].isna()
    broken = {(r["model"], r["test"]): r for r in clever[without].to_dict("records")}
    keys = ["test", "condition", "target", "norm"]
    cells = {tuple(r[c] for c in (*keys, "model")): r for r in clever.to_dict("records")}
    for key in clever.loc[~without, keys].drop_duplicates().itertuples(index=False, name=None):
        test, condition, target, norm = key
        where = dict(zip(POINT, (test, condition, target, SOURCE, norm, SCORE), strict=True))
        for model, before in clean.items():
            cell = cells.get((*key, model), broken.get((model, test), {"status": "not probed"}))
            row = {**where, "model": model, "family": families.get(model)}
            row["accuracy_pct"] = before[tabulate_accuracy.VALUE]
            bad = [s for s in (before["status"], cell["status"]) if s != OK]
            if not bad and before[tabulate_accuracy.VALUE] >= 100:
                bad = [PERFECT]
            if not bad and math.isinf(cell[tabulate_clever.MEAN]):
                bad = ["a score is infinite"]
            if bad:
                yield {**row, "status": bad[0]}
                continue
            n, score = int(cell["scored_right_before"]), cell[tabulate_clever.MEAN]
            yield {**row, "n": n, "distortion": score, "status": OK}


def _clean(accuracy: pd.DataFrame) -> dict[str, Mapping[str, Any]]:
    """Return the row of the clean test of each model, in the order of the study."""
    rows = accuracy[accuracy["test"] == "clean"].to_dict("records")
    return {str(row["model"]): row for row in rows}


def _point(before: Mapping[str, Any], cell: Mapping[str, Any], column: str) -> dict[str, Any]:
    """Return a model's distortion, or why it has none."""
    if bad := [s for s in (before["status"], cell["status"]) if s != OK]:
        return {"status": bad[0]}
    attacked = int(cell["attacked_source_correct"])
    value = float(cell[column]) if attacked else math.nan
    row = {"n": attacked, "success_pct": cell[tabulate_attacks.VALUE], "distortion": value}
    if before[tabulate_accuracy.VALUE] >= 100:
        return {**row, "status": PERFECT}
    if not attacked:
        return {**row, "status": "no image to attack"}
    if math.isnan(value):
        return {**row, "status": "no success"}
    if math.isinf(value):
        return {**row, "distortion": math.nan, "status": "half of the attacks or more failed"}
    return {**row, "status": OK}
