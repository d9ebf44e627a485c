"""Tabulate storage: which successes are lost when adversarial images are stored in fewer bits."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from robusteval.records import OK, Records, read_records
from workflow_scripts._goals import UNTARGETED, reached
from workflow_scripts._lists import attack_by_attack
from workflow_scripts._tables import (
    left_out,
    own,
    rate_with_interval,
    read_cells,
    read_transfers,
    right_images,
    write_table,
)

VALUE = "lost_pct_of_successes_lower_better"
COLUMNS = ["model", "attack", "condition", "goal", "storage", "n", "lost", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", "failures", "gained", "status"]

Cell = tuple[str, str, Records, Records]
"""Model, attack, what the model says about the rounded images and about the float32 ones."""


def rows(cells: Iterable[Cell], clean: dict[str, Records]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, attack, condition and storage.

    ``n`` are the successes as float32 on images that the model gets right before the attack;
    ``failures`` are the other attacked images, of which rounding makes ``gained`` successes.
    """
    for model, attack, rounded, verdict in cells:
        row: dict[str, Any] = {"model": model, "attack": attack}
        before = clean[model]
        if bad := [r.status for r in (verdict, rounded, before) if r.status != OK]:
            yield {**row, "n": 0, "status": bad[0]}
            continue
        goals = rounded.settings["goals"][attack]
        exact = verdict.frame.assign(exact=reached(verdict.frame))
        own_images = rounded.frame[rounded.frame["attack"] == attack]
        frame = own_images.assign(rounded=reached(own_images)).merge(
            exact[["image_id", "condition", "exact"]], on=["image_id", "condition"]
        )
        assert len(frame) == len(own_images), (model, attack)
        frame = frame[frame["image_id"].isin(right_images(before))]
        for (condition, storage), part in frame.groupby(["condition", "storage"], sort=False):
            n, lost = int(part["exact"].sum()), int((part["exact"] & ~part["rounded"]).sum())
            yield {
                **row,
                "condition": condition,
                "goal": goals.get(condition, UNTARGETED),
                "storage": storage,
                "n": n,
                "lost": lost,
                **(rate_with_interval(lost / n, n, VALUE) if n else {}),
                "failures": int((~part["exact"]).sum()),
                "gained": int((~part["exact"] & part["rounded"]).sum()),
                "status": OK,
            }


def tabulate_storage(rounded: list[str], transfers: list[str], clean: list[str], path: str) -> None:
    """Write the table."""
    before = {model: r for (model, _), r in read_cells(clean).items()}
    found = rows(_cells(rounded, transfers), before)
    write_table(path, found, COLUMNS, left_out=left_out(before.values()))


def _cells(rounded: list[str], transfers: list[str]) -> Iterator[Cell]:
    """Yield the cells one by one: all answers of a large study do not fit into memory."""
    for path in map(Path, rounded):
        records = read_records(path)
        for answers in (t for t in transfers if Path(t).stem == path.stem):
            (((_, attack), verdict),) = read_transfers([answers]).items()
            yield path.stem, attack, records, own(verdict, path.stem)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_storage(
            list(snakemake.input.storage),
            attack_by_attack(snakemake.input.transfers),
            list(snakemake.input.clean),
            snakemake.output.table,
        )
