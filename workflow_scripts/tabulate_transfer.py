"""Tabulate transfer: how often each model is wrong about the images made against each other."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from robusteval.metrics.transfer_rate import transfer_rate
from robusteval.records import OK, Records
from workflow_scripts._tables import (
    Cells,
    rate_with_interval,
    read_cells,
    read_transfers,
    right_images,
    write_table,
)

VALUE = "rate_pct_higher_transfers_more"
COLUMNS = ["attack", "condition", "source", "target", "resized", "population", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", "status"]

BOTH = "source and target right before"
SOURCE = "source right before"


def rows(
    transfers: Cells,
    clean: dict[str, Records],
    sources: list[str],
    conditions: dict[str, list[str]],
) -> Iterator[dict[str, Any]]:
    """Yield two rows for each attack, condition, source and target, one a population.

    Successful and failed attacks are both kept, as in the paper (Su et al. 2018, section 3.4).
    Whether the target must have been right before the attack, the paper leaves open and its code
    demands; the figure shows that population.
    """
    right = {model: right_images(r) for model, r in clean.items() if r.status == OK}
    for (target, attack), records in transfers.items():
        for condition in conditions[attack]:
            for source in sources:
                row = {"attack": attack, "condition": condition, "source": source, "target": target}
                row["resized"] = records.settings["resized"][source]
                status = _status(records, source, clean, target)
                for population in (BOTH, SOURCE):
                    if status != OK:
                        yield {**row, "population": population, "n": 0, "status": status}
                        continue
                    models = (source, target) if population == BOTH else (source,)
                    mask = (records.frame["source"] == source) & (
                        records.frame["condition"] == condition
                    )
                    part = records.frame[mask]
                    kept = np.all([part["image_id"].isin(right[m]) for m in models], axis=0)
                    yield {**row, "population": population, **_rate(part, kept), "status": OK}


def _rate(part: Any, kept: np.ndarray) -> dict[str, float]:
    n = int(kept.sum())
    if not n:
        return {"n": 0}
    rate = transfer_rate(part["prediction"].to_numpy(), part["label"].to_numpy(), kept)
    return {"n": n, **rate_with_interval(rate, n, VALUE)}


def _status(records: Records, source: str, clean: dict[str, Records], target: str) -> str:
    """Return "ok", or which of the two models has no images or no answer, and why."""
    if source in records.settings["missing"]:
        return f"source {source}: {records.settings['missing'][source]}"
    if records.status != OK:
        return f"target {target}: {records.status}"
    broken = [m for m in (source, target) if clean[m].status != OK]
    return f"{broken[0]}: {clean[broken[0]].status}" if broken else OK


def tabulate_transfer(
    transfers: list[str],
    clean: list[str],
    sources: list[str],
    conditions: dict[str, list[str]],
    path: str,
) -> None:
    """Write the table."""
    before = {model: r for (model, _), r in read_cells(clean).items()}
    write_table(path, rows(read_transfers(transfers), before, sources, conditions), COLUMNS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_transfer(
            list(snakemake.input.transfers),
            list(snakemake.input.clean),
            snakemake.params.sources,
            snakemake.params.conditions,
            snakemake.output.table,
        )
