"""Recompute published numbers from others, without an image, and lines over all timm models."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robusteval.published._comparison import summary_line
from robusteval.published.recompute import recompute
from robusteval.published.shift_lines import Shift, shifts
from workflow_scripts._tables import write_table
from workflow_scripts.compare_published import COLUMNS as COMPARED
from workflow_scripts.compare_published import as_row

log = logging.getLogger("job")

COLUMNS = ["recomputation", *COMPARED]
SHIFTED = ["model", "test", "base_test", "base_accuracy_pct", "shifted_accuracy_pct"]
SHIFTED += ["foretold_accuracy_pct", "effective_robustness_points_higher_better"]
SHIFTED += ["logit_slope", "logit_intercept", "r2", "n_models", "status"]


def recompute_published(folder: str, table: str, shifted: str) -> str:
    """Write both tables of the published numbers in ``folder``; return how it went in one line."""
    found = recompute(folder)
    write_table(
        table,
        ({"recomputation": name} | as_row(c) for name, rows in found.items() for c in rows),
        COLUMNS,
    )
    write_table(shifted, (row for shift in shifts(folder) for row in by_model(shift)), SHIFTED)
    line = summary_line([c for rows in found.values() for c in rows])
    log.info("%s", line)
    return line


def by_model(shift: Shift) -> Iterator[dict[str, Any]]:
    """Yield a row for each model on a shifted set; one at 0% has no place on the line."""
    columns = zip(
        shift.names, shift.base, shift.shifted, shift.foretold, shift.residual, strict=True
    )
    for name, base, own, foretold, residual in columns:
        yield {
            "model": name,
            "test": shift.test,
            "base_test": shift.base_set,
            "base_accuracy_pct": base,
            "shifted_accuracy_pct": own,
            "foretold_accuracy_pct": round(foretold, 3),
            "effective_robustness_points_higher_better": round(residual, 3),
            "logit_slope": round(shift.line.slope, 4),
            "logit_intercept": round(shift.line.intercept, 4),
            "r2": round(shift.line.r2, 4),
            "n_models": shift.line.n,
            "status": "ok" if 0 < own < 100 else "no logit of 0 or 100",
        }


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        recompute_published(
            str(Path(snakemake.input.published[0]).parent),
            snakemake.output.table,
            snakemake.output.shifted,
        )
