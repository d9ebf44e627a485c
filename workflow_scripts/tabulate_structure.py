"""Tabulate what probes read: boundary distances, noise insensitivity, neurons layer by layer."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from robusteval.records import OK
from workflow_scripts._neuron_rows import neuron_rows
from workflow_scripts._spread import HIGH, LOW, mean_with_interval
from workflow_scripts._tables import Cells, percent, read_cells, write_table

KEY = ["model", "test", "condition"]
DISTANCE = "distance_mean_scale_0_1_higher_better"
BOUNDARY = [*KEY, "metric", "distance_is", "n", "misclassified_count_0"]
BOUNDARY += ["not_reached_at_cap", "not_measured", "cap_scale_0_1", DISTANCE, LOW, HIGH]
BOUNDARY += ["steps_mean_higher_better", "forwards_per_image", "backwards_per_image", "status"]
ENI = "insensitivity_mean_nats_per_unit_lower_better"
NOISE = [*KEY, "noise", "n", "pairs", "pairs_left_out", ENI, LOW, HIGH]
NOISE += ["distance_mean_scale_0_1", "right_before_pct", "right_after_pct", "status"]
NEURONS = [*KEY, "metric", "noise", "layer", "neurons", "n", "value_mean_lower_better", LOW, HIGH]
NEURONS += ["status"]
ALL = "all noises"
# Walks of EBD-2 that came to no end: how far they got is neither a distance nor a bound of one.
STUCK = ("no gradient", "gradients not finite")
METRICS = {
    "ebd": "EBD",
    "ebd_2": "EBD-2",
    "noise_insensitivity": "ENI",
    "neuron_sensitivity": "neuron sensitivity",
    "neuron_uncertainty": "neuron uncertainty",
}
Row = dict[str, Any]


def boundary_rows(row: Row, probe: str, part: pd.DataFrame) -> Iterator[Row]:
    """Yield a row for each side of EBD, or for each way of EBD-2: to any class, or to each."""
    if probe == "ebd":
        groups = [(f"RMS, {sides}-sided", p) for sides, p in part.groupby("sides", sort=False)]
    else:
        any_class, each = part[part["class"] < 0], part[part["class"] >= 0]
        groups = [("L-infinity, to any class", any_class)]
        if len(each):
            groups.append(("L-infinity, to each class", each))
    for way, found in groups:
        status = found["status"]
        known = found["distance"].notna() & ~status.isin(STUCK)
        measured = found[known]
        n = found["image_id"].nunique()
        capped = measured[measured["status"] == "not reached"]
        about = {"metric": METRICS[probe], "distance_is": way, "n": n}
        about["misclassified_count_0"] = int((status == "misclassified").sum())
        about["not_reached_at_cap"] = len(capped)
        about["not_measured"] = len(found) - len(measured)
        if len(capped):
            about["cap_scale_0_1"] = round(float(capped["distance"].max()), 6)
        # Several classes of an image are not independent: the interval goes by image.
        mean = measured.groupby("image_id")["distance"].mean().to_numpy()
        about |= mean_with_interval(mean, DISTANCE, *map(str, row.values()), way)
        steps = measured["step" if probe == "ebd" else "steps"]
        about["steps_mean_higher_better"] = round(float(steps.mean()), 2)
        for cost in ("forwards", "backwards"):
            if cost in found:
                # EBD says in each row what the image cost, EBD-2 what the way to a class did.
                by_image = found.groupby("image_id")[cost].agg("max" if probe == "ebd" else "sum")
                about[f"{cost}_per_image"] = round(float(by_image.mean()), 1)
        reason = ", ".join(sorted(set(status[~known])))
        yield {**row, **about, "status": reason or OK}


def noise_rows(row: Row, probe: str, part: pd.DataFrame) -> Iterator[Row]:
    """Yield a row for each noise and one for all of them, over the pairs that can be measured."""
    groups = [*part.groupby("noise", sort=False), (ALL, part)]
    for noise, found in groups:
        used = found[found["insensitivity"].notna()]
        # The pairs of one image are not independent: the interval goes by image.
        by_image = used.groupby("image_id")["insensitivity"].mean().to_numpy()
        left_out = found.loc[found["insensitivity"].isna(), "status"]
        yield {
            **row,
            "noise": noise,
            "n": found["image_id"].nunique(),
            "pairs": len(used),
            "pairs_left_out": len(left_out),
            **mean_with_interval(by_image, ENI, *map(str, row.values()), str(noise)),
            "distance_mean_scale_0_1": round(float(used["distance"].mean()), 4),
            "right_before_pct": percent((found["prediction"] == found["label"]).mean()),
            "right_after_pct": percent((found["noisy_prediction"] == found["label"]).mean()),
            "status": OK if len(used) else ", ".join(sorted(set(left_out))),
        }


Rows = Callable[[Row, str, pd.DataFrame], Iterator[Row]]
TABLE_OF: dict[str, Rows] = {
    "ebd": boundary_rows,
    "ebd_2": boundary_rows,
    "noise_insensitivity": noise_rows,
    "neuron_sensitivity": neuron_rows,
    "neuron_uncertainty": neuron_rows,
}


def rows(probes: Cells, wanted: Rows) -> Iterator[Row]:
    """Yield the rows of one table, for each model and test whose probe belongs in it."""
    for (model, test), cell in probes.items():
        probe = cell.settings["probe"]
        if TABLE_OF.get(probe) is not wanted:
            continue
        row = {"model": model, "test": test}
        if cell.status != OK:
            metric = {} if wanted is noise_rows else {"metric": METRICS[probe]}
            yield {**row, **metric, "n": 0, "status": cell.status}
            continue
        for condition, part in cell.frame.groupby("condition", sort=False):
            yield from wanted({**row, "condition": condition}, probe, part)


def tabulate_structure(records: list[str], boundary: str, noise: str, neurons: str) -> None:
    """Write the three tables; one whose probes a study lacks has no rows."""
    probes = read_cells(records)
    write_table(boundary, rows(probes, boundary_rows), BOUNDARY)
    write_table(noise, rows(probes, noise_rows), NOISE)
    write_table(neurons, rows(probes, neuron_rows), NEURONS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_structure(
            list(snakemake.input.records),
            snakemake.output.boundary,
            snakemake.output.noise,
            snakemake.output.neurons,
        )
