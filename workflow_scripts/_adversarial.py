"""Reading a few adversarial images, for figures."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.attacks._coding import read_images
from robusteval.files import read_json
from robusteval.records import read_records


def read_adversarial(folder: Path, count: int) -> tuple[str, dict[str, NDArray[np.float32]]]:
    """Return an adversarial set's status, and the first images of each condition,
    (n, H, W, C) float32."""
    card = read_json(folder / "card.json")
    first: dict[str, NDArray[np.float32]] = {}
    conditions = [condition for condition, _ in card["conditions"]]
    for shard in card["shards"]:
        condition = conditions[int(shard.split("_")[1])]
        if condition not in first:
            images = read_images(folder / f"{shard}.safetensors")[:count]
            first[condition] = images.transpose(0, 2, 3, 1)
    return card["status"], first


def attacked_ids(folder: Path, count: int) -> list[int]:
    """Return the ids of the first images of each condition, which all have the same."""
    frame = read_records(folder / "records.parquet").frame
    return frame.loc[frame["condition"] == frame["condition"].iloc[0], "image_id"].tolist()[:count]
