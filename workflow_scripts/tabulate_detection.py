"""Tabulate how well a model's confidence tells known from unknown classes."""

from collections.abc import Iterator
from typing import Any

from robusteval.metrics.auroc import auroc
from robusteval.metrics.fpr_at_tpr import fpr_at_tpr
from robusteval.records import OK, Records
from robusteval.scores.max_softmax import max_softmax
from workflow_scripts._tables import (
    Cells,
    left_out,
    percent,
    rate_with_interval,
    read_cells,
    write_table,
)

COLUMNS = ["model", "test", "unknown", "score", "n_known", "n_unknown"]
COLUMNS += ["auroc_pct_unknown_positive_higher_better"]
KNOWN_POSITIVE = "fpr_pct_at_95_tpr_known_positive_lower_better"
UNKNOWN_POSITIVE = "fpr_pct_at_95_tpr_unknown_positive_lower_better"
for rate in (KNOWN_POSITIVE, UNKNOWN_POSITIVE):
    COLUMNS += [rate, f"{rate}_wilson95_low", f"{rate}_wilson95_high"]
COLUMNS += ["status"]


def rows(clean: dict[str, Records], unknown: Cells) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and unknown image set, against all clean images."""
    for (model, test), records in unknown.items():
        row = {"model": model, "test": test, "score": "max_softmax"}
        if bad := [r.status for r in (records, clean[model]) if r.status != OK]:
            yield {**row, "n_known": 0, "n_unknown": 0, "status": bad[0]}
            continue
        known = max_softmax(clean[model].logits)
        for condition in records.frame["condition"].unique():
            score = max_softmax(
                records.logits[(records.frame["condition"] == condition).to_numpy()]
            )
            accepted = fpr_at_tpr(known, score, positive="known")
            flagged = fpr_at_tpr(known, score, positive="unknown")
            yield {
                **row,
                "unknown": condition,
                "n_known": len(known),
                "n_unknown": len(score),
                "auroc_pct_unknown_positive_higher_better": percent(auroc(known, score)),
                **_with_interval(accepted, len(score), KNOWN_POSITIVE),
                **_with_interval(flagged, len(known), UNKNOWN_POSITIVE),
                "status": OK,
            }


def _with_interval(rate: float, n: int, name: str) -> dict[str, float]:
    """Return a rate of the n images of the negative class, and its interval at this threshold."""
    value, low, high = rate_with_interval(rate, n, name).values()
    return {name: value, f"{name}_wilson95_low": low, f"{name}_wilson95_high": high}


def tabulate_detection(clean: list[str], unknown: list[str], path: str) -> None:
    """Write the table."""
    known = {model: r for (model, _), r in read_cells(clean).items()}
    cells = read_cells(unknown)
    missing = left_out(known.values(), cells.values())
    write_table(path, rows(known, cells), COLUMNS, left_out=missing)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_detection(
            list(snakemake.input.clean), list(snakemake.input.unknown), snakemake.output.table
        )
