"""How visible the changes are that attacks made to a model's images, success by success."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from robusteval.attacks._coding import read_images
from robusteval.files import read_json
from robusteval.images._image_set import ImageSet
from robusteval.metrics.distortion import NORMS
from robusteval.metrics.relative_distortion import relative_distortion
from robusteval.metrics.sensitivity_distance import sensitivity_distance
from robusteval.metrics.structural_similarity import structural_similarity
from robusteval.records import Records, read_records
from workflow_scripts._goals import reached

COLUMNS = ["attack", "image_id", "label", "condition"]
COLUMNS += [*NORMS, *(f"relative_{norm}" for norm in NORMS), "ssim", "psd"]


def visibility(
    attack: Path, clean: ImageSet, verdict: Records, right: set[int], count: int
) -> Iterator[pd.DataFrame]:
    """Yield a frame for each shard of an attack's folder: a row a success and what it changed.

    Successes are those of ``verdict``, the model's answers to the images read back, on images whose
    ids are among those that it had ``right`` before; at most ``count`` of a condition are measured,
    the first in the order of the images.
    """
    costs = read_records(attack / "records.parquet").frame
    answers = verdict.frame[["image_id", "condition", "prediction"]]
    frame = costs.merge(answers, on=["image_id", "condition"])
    assert len(frame) == len(costs), attack
    success = reached(frame) & frame["image_id"].isin(right).to_numpy()
    place = {int(i): n for n, i in enumerate(clean.index["image_id"])}
    start = 0
    left: dict[str, int] = {}
    for name in _in_order(attack):
        images = read_images(attack / f"{name}.safetensors")
        part = frame.iloc[start : start + len(images)]
        wanted = np.flatnonzero(success[start : start + len(images)])
        start += len(images)
        condition = str(part["condition"].iloc[0])
        wanted = wanted[: left.setdefault(condition, count)]
        left[condition] -= len(wanted)
        if not len(wanted):
            continue
        moved, rows = images[wanted], part.iloc[wanted]
        before = clean.images[[place[int(i)] for i in rows["image_id"]]]
        unmoved = before.transpose(0, 3, 1, 2).astype(np.float32, order="C") / np.float32(255)
        found = rows[["image_id", "label", "condition", *NORMS]].reset_index(drop=True)
        for norm in NORMS:
            found[f"relative_{norm}"] = relative_distortion(moved, unmoved, norm)
        found["ssim"] = structural_similarity(moved, unmoved)
        found["psd"] = sensitivity_distance(moved, unmoved)
        yield found.assign(attack=attack.name)[COLUMNS]
    assert start == len(frame), attack


def _in_order(attack: Path) -> list[str]:
    """Return the names of the shards in the order of the records."""
    return sorted(read_json(attack / "card.json")["shards"])
