"""Tabulate CLEVER scores: mean and median by model, condition, norm and target."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from robusteval.bootstrap import bootstrap
from robusteval.metrics.accuracy import accuracy
from robusteval.records import OK, Records
from robusteval.seeds import generator
from workflow_scripts._tables import Cells, left_out, percent, read_cells, write_table

UNIT = "scale_0_1"
MEAN, MEDIAN = f"score_mean_{UNIT}_higher_better", f"score_median_{UNIT}_higher_better"
COLUMNS = ["model", "clean_accuracy_pct", "clean_n", "test", "condition", "norm", "target"]
COLUMNS += ["n", "scored_right_before", MEAN, "mean_bootstrap95_low", "mean_bootstrap95_high"]
COLUMNS += [MEDIAN, "median_bootstrap95_low", "median_bootstrap95_high"]
COLUMNS += ["largest_norm_for_failed_fit_pct", "infinite_scores", "forwards_per_image"]
COLUMNS += ["backwards_per_image", "status"]
MISCLASSIFIED, NOT_FINITE = "misclassified", "gradients not finite"


def rows(probes: Cells, clean: dict[str, Records]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, test, condition, norm and target.

    Scores are averaged over the images that the model gets right.
    """
    for (model, test), cell in probes.items():
        row = {"model": model, **_clean_accuracy(clean[model]), "test": test}
        if cell.status != OK:
            yield {**row, "n": 0, "status": cell.status}
            continue
        for keys, part in cell.frame.groupby(["condition", "norm", "target"], sort=False):
            scored = part[part["status"] != MISCLASSIFIED]
            yield {
                **row,
                **dict(zip(("condition", "norm", "target"), keys, strict=True)),
                "n": len(part),
                "scored_right_before": len(scored),
                **_of_scored(scored, model, test, *keys),
                "forwards_per_image": round(part["forwards"].mean(), 2),
                "backwards_per_image": round(part["backwards"].mean(), 2),
            }


def _clean_accuracy(clean: Records) -> dict[str, Any]:
    """Return the accuracy on all clean images as columns; nothing if the cell failed."""
    if clean.status != OK:
        return {}
    frame = clean.frame
    rate = accuracy(frame["label"].to_numpy(), frame["prediction"].to_numpy())
    return {"clean_accuracy_pct": percent(rate), "clean_n": len(frame)}


def _of_scored(scored: pd.DataFrame, *names: str) -> dict[str, Any]:
    """Return mean and median with intervals as columns; no number if an image lacks its score."""
    if scored.empty:
        return {"status": "no image is right before"}
    fits = {"largest_norm_for_failed_fit_pct": percent((scored["failed_fits"] > 0).mean())}
    if bad := int((scored["status"] == NOT_FINITE).sum()):
        return {**fits, "status": f"gradients not finite for {bad} of {len(scored)} images"}
    score = scored["score"].to_numpy(np.float64)
    values: dict[str, Any] = {**fits, "infinite_scores": int(np.isinf(score).sum()), "status": OK}
    for name, column, statistic in (("mean", MEAN, np.mean), ("median", MEDIAN, np.median)):
        low, high = bootstrap(score, statistic, generator(0, "tabulate_clever", name, *names))
        values[column] = _short(float(statistic(score)))
        values[f"{name}_bootstrap95_low"] = _short(low)
        values[f"{name}_bootstrap95_high"] = _short(high)
    return values


def _short(value: float) -> float:
    """Return a score with four significant digits."""
    return float(f"{value:.4g}")


def tabulate_clever(probes: list[str], clean: list[str], path: str) -> None:
    """Write the table."""
    before = {model: r for (model, _), r in read_cells(clean).items()}
    write_table(path, rows(read_cells(probes), before), COLUMNS, left_out=left_out(before.values()))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_clever(
            list(snakemake.input.records),
            list(snakemake.input.clean),
            snakemake.output.table,
        )
