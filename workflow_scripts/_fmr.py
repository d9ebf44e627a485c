"""Reading searches: verdicts image by image, and what each condition is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts
from robusteval.records import Records, read_records
from workflow_scripts._searching import ORIGINAL, ROUND_TRIP
from workflow_scripts._tables import percent

Searches = dict[tuple[str, str], Records]
"""Records of searches by (model, test)."""

FOUNDATION = "foundation model"  # what `robusteval.oracles._card.kind_of` says
RANDOM_STEP = "random_sign"


def read_searches(paths: list[str]) -> Searches:
    """Return the records at ``.../{model}/{test}/records.parquet``, by (model, test)."""
    return {(Path(p).parents[1].name, Path(p).parent.name): read_records(p) for p in paths}


def read_checks(paths: list[str]) -> dict[str, Records]:
    """Return the checks of oracles at ``.../{view}/{test}.parquet`` by test, the first view's."""
    found: dict[str, Records] = {}
    for path in paths:
        found.setdefault(Path(path).stem, read_records(path))
    return found


def conditions_of(records: Records) -> dict[str, dict[str, Any]]:
    """Return the settings of a search by condition, in the study's order."""
    return {label: dict(values) for label, values in records.settings["conditions"]}


def part(frame: pd.DataFrame, condition: str) -> pd.DataFrame:
    """Return the rows of a condition."""
    return frame[frame["condition"] == condition]


def right(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return where (N,) the model says the label."""
    found: NDArray[np.bool_] = frame["label"].to_numpy() == frame["prediction"].to_numpy()
    return found


def verdicts_of(frame: pd.DataFrame, condition: str) -> Verdicts:
    """Return what is known of the images of a condition; all conditions have the same images."""
    own = part(frame, condition)
    original, first = part(frame, ORIGINAL), part(frame, ROUND_TRIP)
    for other in (original, first):
        assert (other["image_id"].to_numpy() == own["image_id"].to_numpy()).all(), condition
    return Verdicts(right(original), right(first), right(own), own["valid"].to_numpy(np.bool_))


def control_of(values: Mapping[str, Any]) -> str:
    """Return "no oracle" or "random direction" of a control, "" of a search proper."""
    if values.get("oracle") is False:
        return "no oracle"
    return "random direction" if values.get("step") == RANDOM_STEP else ""


def search_costs(
    frame: pd.DataFrame, kept: Mapping[str, Mapping[str, float]], condition: str
) -> dict[str, float]:
    """Return how many latents may move, and how many images a search judges and steps it takes.

    ``frame`` has the images, ``kept`` the masks of sparse conditions, as the settings of a search
    have them. A judged image is a forward pass of model, generator and oracle, and but for the last
    one a backward pass of the first two.
    """
    own, mask = part(frame, condition), kept.get(condition)
    costs = {"latents_that_may_move_pct": percent(mask["kept"]) if mask else 100.0}
    costs["judged_images_per_image"] = round(float(own["tries"].mean()), 2)
    if own["valid"].any():
        costs["accepted_steps_mean"] = round(float(own.loc[own["valid"], "steps"].mean()), 2)
    return costs


def head_of(name: str, prefix: str) -> str:
    """Return what a score is called in a column head; a ratio has the ``prefix``."""
    return f"{prefix}{name}" if name.startswith("fmr") else name


def prefix_of(checks: Mapping[str, Records]) -> str:
    """Return what stands before FMR in column heads: nothing if foundation models alone judge."""
    judged = {records.settings["judged_by"] for records in checks.values()}
    return "" if judged == {FOUNDATION} else "oracle_relative_"
