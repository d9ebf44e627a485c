"""Tabulate attacks: success, distortion and passes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.attacks._adversarials import NOT_FINITE, ZERO_GRADIENT
from robusteval.metrics.distortion_by_size import distortion_by_size
from robusteval.metrics.mean_distortion import mean_distortion
from robusteval.metrics.median_distortion import median_distortion
from robusteval.metrics.success_rate import success_rate
from robusteval.records import OK, Records, read_records
from robusteval.transformations._words import words
from workflow_scripts._goals import UNTARGETED, goals_of, reached
from workflow_scripts._lists import attack_by_attack
from workflow_scripts._populations import COMMON, SOURCE, common_images
from workflow_scripts._tables import (
    left_out,
    own,
    rate_with_interval,
    read_cells,
    read_transfers,
    right_images,
    write_table,
)
from workflow_scripts.unmask import QUERIES

NORMS = ("l0", "l1", "l2", "linf")
SIZES = (*NORMS, "l2_per_pixel", "l2_per_value")
ASKED = "zero_gradient_images_that_held_asked_of_square"
BROKEN = f"of_these_broken_by_square_in_{QUERIES}_queries"
VALUE = "success_pct_of_attacked_higher_stronger_attack"
COLUMNS = ["model", "attack", "condition", "goal", "population", "n", "attacked_source_correct"]
COLUMNS += [VALUE, "wilson95_low_pct", "wilson95_high_pct"]
COLUMNS += [f"{size}_mean_of_successes_scale_0_1" for size in SIZES]
COLUMNS += [f"{size}_median_failures_infinite_scale_0_1" for size in SIZES]
COLUMNS += ["lost_on_reload", "forwards_per_image", "backwards_per_image"]
COLUMNS += [
    "zero_gradient_images",
    ASKED,
    BROKEN,
    "not_finite_images",
    "gradient_of_defence",
    "status",
]

UNUSED = "none: queries alone"  # of a wrapped model, by an attack without gradients

Cell = tuple[str, str, Records, Records]
"""Model, attack, costs, and what the model says about the images read back from disk."""


def rows(
    cells: Iterable[Cell], clean: dict[str, Records], unmasked: dict[str, Records]
) -> Iterator[dict[str, Any]]:
    """Yield two rows for each model, attack and condition, one a population.

    ``unmasked`` says, by model, what Square made of images with a zero gradient.

    Attacked are the images that the model gets right before the attack (each model's own), or
    those that every model of the study does (the same for all). A targeted attack has succeeded
    where the model says the target.
    """
    common, unknown = common_images(clean)
    for model, attack, cost, verdict in cells:
        before = clean[model]
        row = {"model": model, "attack": attack}
        if bad := [r.status for r in (cost, verdict, before) if r.status != OK]:
            yield {**row, "n": 0, "status": bad[0]}
            continue
        frame = _judged(cost, verdict)
        goals = goals_of(cost.settings.get("conditions", []))
        for condition, part in frame.groupby("condition", sort=False):
            about = {**row, "condition": condition, "goal": goals.get(condition, UNTARGETED)}
            about |= {"n": len(part), **_costs(part)}
            about |= _asked_of_square(unmasked[model], attack, condition)
            if "defence" in cost.settings:
                used = part["backwards"].any()
                about["gradient_of_defence"] = words(cost.settings["defence"]) if used else UNUSED
            for population, ids in ((SOURCE, right_images(before)), (COMMON, common)):
                status = unknown if population == COMMON else OK
                found = _of_attacked(part[part["image_id"].isin(ids)]) if status == OK else {}
                yield {**about, "population": population, **found, "status": status}


def _judged(cost: Records, verdict: Records) -> pd.DataFrame:
    """Return the costs with all sizes of the change and the ``verdict`` on each image."""
    frame = cost.frame.merge(
        verdict.frame[["image_id", "condition", "prediction"]], on=["image_id", "condition"]
    )
    assert len(frame) == len(cost.frame), cost.settings
    height, width, channels = cost.settings["input_size"]
    for per in ("pixel", "value"):
        frame[f"l2_per_{per}"] = distortion_by_size(
            frame["l2"].to_numpy(np.float64), per, height=height, width=width, channels=channels
        )
    return frame.assign(verdict=reached(frame))


def _costs(part: pd.DataFrame) -> dict[str, float]:
    """Return what all images of a condition cost, those that the model had wrong too."""
    return {
        "lost_on_reload": int((part["success"] & ~part["verdict"]).sum()),
        "forwards_per_image": round(part["forwards"].mean(), 2),
        "backwards_per_image": round(part["backwards"].mean(), 2),
        "zero_gradient_images": int((part["odd"] == ZERO_GRADIENT).sum()),
        "not_finite_images": int((part["odd"] == NOT_FINITE).sum()),
    }


def _asked_of_square(unmasked: Records, attack: str, condition: str) -> dict[str, int]:
    """Return how many images of a condition Square was asked about, and how many it broke."""
    if unmasked.status != OK:
        return {}
    frame = unmasked.frame
    part = frame[(frame["attack"] == attack) & (frame["condition"] == condition)]
    return {ASKED: len(part), BROKEN: int(part["broken"].sum())}


def _of_attacked(attacked: pd.DataFrame) -> dict[str, float]:
    """Return success and distortions over the attacked images; only their number if it is 0."""
    values: dict[str, float] = {"attacked_source_correct": len(attacked)}
    if attacked.empty:
        return values
    success: NDArray[np.bool_] = attacked["verdict"].to_numpy()
    rate = success_rate(success, np.ones(len(success), np.bool_))
    values |= rate_with_interval(rate, len(success), VALUE)
    for name in SIZES:
        size = attacked[name].to_numpy(np.float64)
        values[f"{name}_mean_of_successes_scale_0_1"] = _short(mean_distortion(size, success))
        values[f"{name}_median_failures_infinite_scale_0_1"] = _short(
            median_distortion(size, success)
        )
    return values


def _short(value: float) -> float:
    """Return a distortion with four significant digits."""
    return float(f"{value:.4g}")


def tabulate_attacks(
    adversarials: list[str], transfers: list[str], clean: list[str], unmasked: list[str], path: str
) -> None:
    """Write the table."""
    before = {model: r for (model, _), r in read_cells(clean).items()}
    asked = {Path(file).stem: read_records(file) for file in unmasked}
    found = rows(_cells(adversarials, transfers), before, asked)
    write_table(path, found, COLUMNS, left_out=left_out(before.values()))


def _cells(adversarials: list[str], transfers: list[str]) -> Iterator[Cell]:
    """Yield the cells one by one: all answers of a large study do not fit into memory."""
    answers = {(Path(p).stem, Path(p).parent.name): p for p in transfers}
    for path in map(Path, adversarials):
        model, attack = path.parents[1].name, path.parent.name
        (verdict,) = read_transfers([answers[model, attack]]).values()
        yield model, attack, read_records(path.with_name("records.parquet")), own(verdict, model)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_attacks(
            attack_by_attack(snakemake.input.adversarials),
            attack_by_attack(snakemake.input.transfers),
            list(snakemake.input.clean),
            list(snakemake.input.unmasked),
            snakemake.output.table,
        )
