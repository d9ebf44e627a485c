"""Tabulate errors on corrupted images, by corruption and severity, and their mean as mCE.

The baseline that mCE divides by is a model of the study, or one whose errors were published.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from robusteval.corruptions._parts import PARTS, members, part_of
from robusteval.intervals import normal
from robusteval.metrics.accuracy import accuracy
from robusteval.published.corruption_errors import CorruptionErrors, corruption_errors
from robusteval.records import OK, Records
from workflow_scripts._baseline import (
    clean_error,
    errors_of,
    of_published,
    of_study,
    relation,
)
from workflow_scripts._tables import (
    Cells,
    left_out,
    percent,
    rate_with_interval,
    read_cells,
    write_table,
)

VALUE = "error_pct_lower_better"
COLUMNS = ["model", "test", "corruption", "part", "severity", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", "status"]
MEAN = ["model", "test", "part", "corruptions", "corruptions_published", "severities"]
MEAN += ["n_per_cell", "clean_error_pct_same_images", "mean_error_pct_lower_better"]
MEAN += ["normal95_low_pct", "normal95_high_pct"]
MEAN += ["baseline", "baseline_source", "corruptions_in_mce"]
MEAN += ["mce_pct_lower_better", "no_mce_for", "relative_mce_pct_lower_better"]
MEAN += ["no_relative_mce_for", "status"]
OWN = "a model of this study"

Families = Mapping[str, str]
"""The published family whose corruptions a test has, by test."""


def by_severity(cells: Cells, families: Families | None = None) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, corruption and severity."""
    for (model, test), records in cells.items():
        if records.status != OK:
            yield {"model": model, "test": test, "n": 0, "status": records.status}
        for (corruption, severity), part in records.frame.groupby(
            ["condition", "severity"], sort=False
        ):
            error = 1 - accuracy(part["label"].to_numpy(), part["prediction"].to_numpy())
            row = {"model": model, "test": test, "corruption": corruption, "severity": severity}
            row["part"] = part_of(corruption, (families or {}).get(test))
            rate = rate_with_interval(error, len(part), VALUE)
            yield {**row, "n": len(part), **rate, "status": OK}


def means(
    cells: Cells,
    clean: dict[str, Records],
    baseline: str,
    *,
    families: Families | None = None,
    published: CorruptionErrors | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and part: mean error, mCE and relative mCE against the baseline.

    The parts are the fifteen corruptions of published means, the extra ones, and any others; a
    row says how many of them the study has. mCE is over those that the baseline has too. The
    clean error that the relative one is measured from is that on the same images.
    """
    source = published.source if published else OWN
    for (model, test), records in cells.items():
        row: dict[str, Any] = {"model": model, "test": test}
        row |= {"baseline": baseline, "baseline_source": source}
        if records.status != OK:
            yield {**row, "n_per_cell": 0, "status": records.status}
            continue
        family = (families or {}).get(test)
        row["status"], base = OK, None
        if clean[model].status != OK:
            row["status"] = f"clean: {clean[model].status}"
        else:
            row["clean_error_pct_same_images"] = percent(clean_error(records, clean[model]))
            try:
                base = (
                    of_published(published, records, family)
                    if published
                    else of_study(cells[baseline, test], clean[baseline])
                )
            except ValueError as error:
                row["status"] = f"baseline {baseline}: {error}"
        for part, frame in parts_of(records.frame, family):
            ratios = (
                relation(frame, clean_error(records, clean[model]), base, baseline) if base else {}
            )
            yield {**row, "part": part, **mean_of(frame, part, family), **ratios}


def parts_of(frame: pd.DataFrame, family: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the parts that corruptions of a test belong to, each with its rows."""
    part = {name: part_of(name, family) for name in frame["condition"].unique()}
    for name in PARTS:
        if name in part.values():
            yield name, frame[frame["condition"].map(part) == name]


def mean_of(frame: pd.DataFrame, part: str, family: str | None) -> dict[str, Any]:
    """Return the mean error over the corruptions of a part, with its interval, as columns."""
    errors = errors_of(frame)
    wrong = frame["prediction"] != frame["label"]
    low, high = normal(wrong.groupby(frame["image_id"]).mean().to_numpy())
    return {
        "corruptions": len(errors),
        "corruptions_published": len(members(part, family)) or None,
        "severities": max(map(len, errors.values())),
        "n_per_cell": frame["image_id"].nunique(),
        "mean_error_pct_lower_better": percent(float(np.mean([e.mean() for e in errors.values()]))),
        "normal95_low_pct": percent(low),
        "normal95_high_pct": percent(high),
    }


def tabulate_corruption_error(
    records: list[str],
    clean: list[str],
    baseline: str,
    errors: str,
    mean: str,
    *,
    families: Families | None = None,
    published: str | None = None,
) -> None:
    """Write both tables; a baseline that is no model of the study is looked up in ``published``.

    Raises:
        ValueError: the baseline is neither.
    """
    cells = read_cells(records)
    models = list(dict.fromkeys(model for model, _ in cells))
    if baseline not in models and published is None:
        raise ValueError(
            f"baseline: {baseline!r} is no model of the study ({', '.join(models)}), and there is "
            f"no file of published errors to find it in"
        )
    theirs = corruption_errors(published, baseline) if baseline not in models else None
    write_table(errors, by_severity(cells, families), COLUMNS, left_out=left_out(cells.values()))
    clean_cells = {model: r for (model, _), r in read_cells(clean).items()}
    rows = means(cells, clean_cells, baseline, families=families, published=theirs)
    write_table(mean, rows, MEAN, left_out=left_out(cells.values()))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_corruption_error(
            list(snakemake.input.records),
            list(snakemake.input.clean),
            snakemake.params.baseline,
            snakemake.output.errors,
            snakemake.output.mean,
            families=snakemake.params.families,
            published=snakemake.input.published,
        )
