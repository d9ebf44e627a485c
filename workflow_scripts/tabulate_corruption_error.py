"""Tabulate errors on corrupted images, by corruption and severity, and their mean as mCE."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.mean_corruption_error import mean_corruption_error
from robusteval.metrics.relative_mean_corruption_error import relative_mean_corruption_error
from robusteval.records import OK, Records
from workflow_scripts._tables import Cells, percent, rate_with_interval, read_cells, write_table

VALUE = "error_pct_lower_better"
COLUMNS = ["model", "test", "corruption", "severity", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", "status"]
MEAN = [
    "model",
    "test",
    "baseline",
    "corruptions",
    "severities",
    "n_per_cell",
    "mean_error_pct_lower_better",
]
MEAN += ["mce_pct_lower_better", "relative_mce_pct_lower_better", "status"]


def by_severity(cells: Cells) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, corruption and severity."""
    for (model, test), records in cells.items():
        if records.status != OK:
            yield {"model": model, "test": test, "n": 0, "status": records.status}
        for (corruption, severity), part in records.frame.groupby(
            ["condition", "severity"], sort=False
        ):
            wrong = int((part["prediction"] != part["label"]).sum())
            row = {"model": model, "test": test, "corruption": corruption, "severity": severity}
            rate = rate_with_interval(wrong, len(part), VALUE)
            yield {**row, "n": len(part), **rate, "status": OK}


def means(cells: Cells, clean: dict[str, Records], baseline: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each model: mean error, mCE and relative mCE against ``baseline``.

    The clean error that the relative one is measured from is that on the same images.
    """
    for (model, test), records in cells.items():
        row = {"model": model, "test": test, "baseline": baseline}
        reference = cells[baseline, test]
        needed = (records, clean[model], reference, clean[baseline])
        if bad := [r.status for r in needed if r.status != OK]:
            yield {**row, "n_per_cell": 0, "status": bad[0]}
            continue
        errors, base = errors_of(records), errors_of(reference)
        try:
            relative = relative_mean_corruption_error(
                errors, clean_error(records, clean[model]),
                base, clean_error(reference, clean[baseline]),
            )  # fmt: skip
        except ValueError:  # some corruption does the baseline no harm: no ratio to it exists
            relative = float("nan")
        yield {
            **row,
            "corruptions": len(errors),
            "severities": len(next(iter(errors.values()))),
            "n_per_cell": records.frame["image_id"].nunique(),
            "mean_error_pct_lower_better": percent(float(np.mean(list(errors.values())))),
            "mce_pct_lower_better": percent(mean_corruption_error(errors, base)),
            "relative_mce_pct_lower_better": percent(relative),
            "status": OK,
        }


def errors_of(records: Records) -> dict[str, np.ndarray]:
    """Return the errors (S,) of each corruption, by severity."""
    wrong = records.frame["prediction"] != records.frame["label"]
    table = wrong.groupby([records.frame["condition"], records.frame["severity"]]).mean()
    return {str(name): part.to_numpy() for name, part in table.groupby(level=0, sort=False)}


def clean_error(corrupt: Records, clean: Records) -> float:
    """Return the error on the clean images that ``corrupt`` was made from."""
    same = clean.frame[clean.frame["image_id"].isin(corrupt.frame["image_id"])]
    return 1 - accuracy(same["label"].to_numpy(), same["prediction"].to_numpy())


def tabulate_corruption_error(
    records: list[str], clean: list[str], baseline: str, errors: str, mean: str
) -> None:
    """Write both tables."""
    cells = read_cells(records)
    write_table(errors, by_severity(cells), COLUMNS)
    clean_cells = {model: r for (model, _), r in read_cells(clean).items()}
    write_table(mean, means(cells, clean_cells, baseline), MEAN)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_corruption_error(
            list(snakemake.input.records),
            list(snakemake.input.clean),
            snakemake.params.baseline,
            snakemake.output.errors,
            snakemake.output.mean,
        )
