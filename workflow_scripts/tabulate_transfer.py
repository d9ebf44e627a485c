"""Tabulate transfer: how often each model is wrong about the images made against each other."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.metrics.targeted_transfer_rate import targeted_transfer_rate
from robusteval.metrics.transfer_rate import transfer_rate
from robusteval.records import OK, Records, read_records
from workflow_scripts._goals import UNTARGETED, targets_of
from workflow_scripts._lists import attack_by_attack
from workflow_scripts._populations import BOTH, SOURCE
from workflow_scripts._tables import (
    left_out,
    rate_with_interval,
    read_cells,
    right_images,
    write_table,
)

VALUE = "rate_pct_higher_transfers_more"
TOP = {k: f"target_in_top{k}_pct_higher_transfers_more" for k in (1, 5)}
COLUMNS = ["attack", "condition", "goal", "source", "target", "resized", "population", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct"]
COLUMNS += [
    column
    for k, name in TOP.items()
    for column in (name, f"top{k}_wilson95_low_pct", f"top{k}_wilson95_high_pct")
]
COLUMNS += ["status"]

Cell = tuple[str, str, Records]
"""Target model, attack, and what the model says about all sources' images."""


def rows(
    transfers: Iterable[Cell],
    clean: dict[str, Records],
    sources: list[str],
    conditions: dict[str, list[str]],
) -> Iterator[dict[str, Any]]:
    """Yield two rows for each attack, condition, source and target, one a population.

    Successful and failed attacks are both kept, as in the paper (Su et al. 2018, section 3.4).
    Whether the target must have been right before the attack, the paper leaves open and its code
    demands; the figure shows that population. Of a targeted attack, the images at whose target
    class the target model arrives are counted too: as its first class, or among its first five.
    """
    right = {model: right_images(r) for model, r in clean.items() if r.status == OK}
    for target, attack, records in transfers:
        for condition in conditions[attack]:
            for source in sources:
                row = {"attack": attack, "condition": condition, "source": source, "target": target}
                row["resized"] = records.settings["resized"][source]
                row["goal"] = records.settings.get("goals", {}).get(condition, UNTARGETED)
                status = _status(records, source, clean, target)
                for population in (BOTH, SOURCE):
                    if status != OK:
                        yield {**row, "population": population, "n": 0, "status": status}
                        continue
                    models = (source, target) if population == BOTH else (source,)
                    mask = (records.frame["source"] == source) & (
                        records.frame["condition"] == condition
                    )
                    part, logits = records.frame[mask], records.logits[mask.to_numpy()]
                    kept = np.all([part["image_id"].isin(right[m]) for m in models], axis=0)
                    rates = _rates(part, logits, kept)
                    yield {**row, "population": population, **rates, "status": OK}


def _rates(
    part: pd.DataFrame, logits: NDArray[np.float32], kept: NDArray[np.bool_]
) -> dict[str, float]:
    """Return the rates over the ``kept`` images (N,); no targeted ones of an untargeted attack.

    Among five classes or fewer, every target would be in the first five: no such rate then.
    """
    n = int(kept.sum())
    if not n:
        return {"n": 0}
    rate = transfer_rate(part["prediction"].to_numpy(), part["label"].to_numpy(), kept)
    rates = {"n": n, **rate_with_interval(rate, n, VALUE)}
    targets = targets_of(part)
    if (targets[kept] < 0).any():
        return rates
    for k, name in TOP.items():
        if k < logits.shape[1]:
            found = targeted_transfer_rate(logits, targets, kept, k=k)
            own, low, high = rate_with_interval(found, n, name).values()
            rates |= {name: own, f"top{k}_wilson95_low_pct": low, f"top{k}_wilson95_high_pct": high}
    return rates


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
    found = rows(_cells(transfers), before, sources, conditions)
    write_table(path, found, COLUMNS, left_out=left_out(before.values()))


def _cells(transfers: list[str]) -> Iterator[Cell]:
    """Yield the cells one by one: all answers of a large study do not fit into memory."""
    for path in map(Path, transfers):
        yield path.stem, path.parent.name, read_records(path)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_transfer(
            attack_by_attack(snakemake.input.transfers),
            list(snakemake.input.clean),
            snakemake.params.sources,
            snakemake.params.conditions,
            snakemake.output.table,
        )
