"""Tabulate errors on corrupted images, by corruption and severity, and their mean as mCE."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from robusteval.intervals import normal
from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.mean_corruption_error import mean_corruption_error
from robusteval.metrics.relative_mean_corruption_error import relative_mean_corruption_error
from robusteval.records import OK, Records
from workflow_scripts._tables import Cells, percent, rate_with_interval, read_cells, write_table

VALUE = "error_pct_lower_better"
COLUMNS = ["model", "test", "corruption", "severity", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", "status"]
MEAN = ["model", "test", "baseline", "corruptions", "severities", "n_per_cell"]
MEAN += ["clean_error_pct_same_images", "mean_error_pct_lower_better"]
MEAN += ["normal95_low_pct", "normal95_high_pct"]
MEAN += ["mce_pct_lower_better", "relative_mce_pct_lower_better", "status"]


def by_severity(cells: Cells) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, corruption and severity."""
    for (model, test), records in cells.items():
        if records.status != OK:
            yield {"model": model, "test": test, "n": 0, "status": records.status}
        for (corruption, severity), part in records.frame.groupby(
            ["condition", "severity"], sort=False
        ):
            error = 1 - accuracy(part["label"].to_numpy(), part["prediction"].to_numpy())
            row = {"model": model, "test": test, "corruption": corruption, "severity": severity}
            rate = rate_with_interval(error, len(part), VALUE)
            yield {**row, "n": len(part), **rate, "status": OK}


def means(cells: Cells, clean: dict[str, Records], baseline: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each model: mean error, mCE and relative mCE against ``baseline``.

    The clean error that the relative one is measured from is that on the same images.
    """
    for (model, test), records in cells.items():
        row: dict[str, Any] = {"model": model, "test": test, "baseline": baseline}
        if records.status != OK:
            yield {**row, "n_per_cell": 0, "status": records.status}
            continue
        errors = errors_of(records)
        wrong = records.frame["prediction"] != records.frame["label"]
        low, high = normal(wrong.groupby(records.frame["image_id"]).mean().to_numpy())
        row |= {
            "corruptions": len(errors),
            "severities": len(next(iter(errors.values()))),
            "n_per_cell": records.frame["image_id"].nunique(),
            "mean_error_pct_lower_better": percent(float(np.mean(list(errors.values())))),
            "normal95_low_pct": percent(low),
            "normal95_high_pct": percent(high),
        }
        if clean[model].status == OK:
            row["clean_error_pct_same_images"] = percent(clean_error(records, clean[model]))
        reference = cells[baseline, test]
        if clean[model].status != OK:
            yield {**row, "status": f"clean: {clean[model].status}"}
            continue
        if bad := [r.status for r in (reference, clean[baseline]) if r.status != OK]:
            yield {**row, "status": f"baseline {baseline}: {bad[0]}"}
            continue
        base = errors_of(reference)
        undisturbed = clean_error(records, clean[model]), clean_error(reference, clean[baseline])
        mce = defined(mean_corruption_error, errors, base)
        relative = defined(
            relative_mean_corruption_error, errors, undisturbed[0], base, undisturbed[1]
        )
        row |= {"mce_pct_lower_better": mce, "relative_mce_pct_lower_better": relative}
        yield {**row, "status": OK}


def defined(metric: Callable[..., float], *values: Any) -> float:
    """Return a metric in percent, or NaN where it has none: a baseline that a corruption spares."""
    try:
        return percent(metric(*values))
    except ValueError:
        return float("nan")


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
