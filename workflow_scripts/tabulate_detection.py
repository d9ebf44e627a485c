"""Tabulate how well a model's confidence tells known from unknown classes."""

from collections.abc import Iterator
from typing import Any

from robusteval.metrics.auroc import auroc
from robusteval.metrics.fpr_at_tpr import fpr_at_tpr
from robusteval.records import OK, Records
from robusteval.scores.max_softmax import max_softmax
from workflow_scripts._tables import Cells, percent, read_cells, write_table

COLUMNS = ["model", "test", "unknown", "score", "n_known", "n_unknown"]
COLUMNS += ["auroc_pct_unknown_positive_higher_better"]
COLUMNS += ["fpr_pct_at_95_tpr_known_positive_lower_better"]
COLUMNS += ["fpr_pct_at_95_tpr_unknown_positive_lower_better", "status"]


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
                "fpr_pct_at_95_tpr_known_positive_lower_better": percent(accepted),
                "fpr_pct_at_95_tpr_unknown_positive_lower_better": percent(flagged),
                "status": OK,
            }


def tabulate_detection(clean: list[str], unknown: list[str], path: str) -> None:
    """Write the table."""
    known = {model: r for (model, _), r in read_cells(clean).items()}
    write_table(path, rows(known, read_cells(unknown)), COLUMNS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_detection(
            list(snakemake.input.clean), list(snakemake.input.unknown), snakemake.output.table
        )
