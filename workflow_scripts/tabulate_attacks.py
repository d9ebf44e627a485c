"""Tabulate attacks: success, distortion and passes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from robusteval.metrics.mean_distortion import mean_distortion
from robusteval.metrics.median_distortion import median_distortion
from robusteval.metrics.success_rate import success_rate
from robusteval.records import OK, Records, read_records
from workflow_scripts._tables import (
    Cells,
    left_out,
    own,
    rate_with_interval,
    read_cells,
    read_transfers,
    right_images,
    write_table,
)

NORMS = ("l0", "l1", "l2", "linf")
VALUE = "success_pct_of_attacked_higher_stronger_attack"
COLUMNS = ["model", "attack", "condition", "n", "attacked_source_correct", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct"]
COLUMNS += [f"{norm}_mean_of_successes_scale_0_1" for norm in NORMS]
COLUMNS += [f"{norm}_median_failures_infinite_scale_0_1" for norm in NORMS]
COLUMNS += ["lost_on_reload", "forwards_per_image", "backwards_per_image", "status"]


def rows(costs: Cells, verdicts: Cells, clean: dict[str, Records]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, attack and condition.

    ``verdicts`` are what the model says about the images read back from disk. The attacked
    population are the images that the model gets right before the attack.
    """
    for (model, attack), cost in costs.items():
        verdict, before = verdicts[model, attack], clean[model]
        row = {"model": model, "attack": attack}
        if bad := [r.status for r in (cost, verdict, before) if r.status != OK]:
            yield {**row, "n": 0, "status": bad[0]}
            continue
        right = right_images(before)
        frame = cost.frame.merge(
            verdict.frame[["image_id", "condition", "prediction"]], on=["image_id", "condition"]
        )
        assert len(frame) == len(cost.frame), (model, attack)
        frame["verdict"] = frame["prediction"] != frame["label"]
        for condition, part in frame.groupby("condition", sort=False):
            attacked = part[part["image_id"].isin(right)]
            yield {
                **row,
                "condition": condition,
                "n": len(part),
                "attacked_source_correct": len(attacked),
                **_of_attacked(attacked),
                "lost_on_reload": int((part["success"] & ~part["verdict"]).sum()),
                "forwards_per_image": round(part["forwards"].mean(), 2),
                "backwards_per_image": round(part["backwards"].mean(), 2),
                "status": OK,
            }


def _of_attacked(attacked: Any) -> dict[str, float]:
    """Return success and distortions over the attacked images; nothing if there are none."""
    if attacked.empty:
        return {}
    success = attacked["verdict"].to_numpy()
    rate = success_rate(success, np.ones(len(success), np.bool_))
    values = rate_with_interval(rate, len(success), VALUE)
    for norm in NORMS:
        size = attacked[norm].to_numpy(np.float64)
        values[f"{norm}_mean_of_successes_scale_0_1"] = _short(mean_distortion(size, success))
        values[f"{norm}_median_failures_infinite_scale_0_1"] = _short(
            median_distortion(size, success)
        )
    return values


def _short(value: float) -> float:
    """Return a distortion with four significant digits."""
    return float(f"{value:.4g}")


def tabulate_attacks(
    adversarials: list[str], transfers: list[str], clean: list[str], path: str
) -> None:
    """Write the table."""
    costs = {
        (Path(p).parents[1].name, Path(p).parent.name): read_records(
            Path(p).with_name("records.parquet")
        )
        for p in adversarials
    }
    verdicts = {key: own(r, key[0]) for key, r in read_transfers(transfers).items()}
    before = {model: r for (model, _), r in read_cells(clean).items()}
    write_table(path, rows(costs, verdicts, before), COLUMNS, left_out=left_out(before.values()))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_attacks(
            list(snakemake.input.adversarials),
            list(snakemake.input.transfers),
            list(snakemake.input.clean),
            snakemake.output.table,
        )
