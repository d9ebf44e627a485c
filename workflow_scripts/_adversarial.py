"""Reading a few adversarial images, for figures."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.attacks._coding import read_images
from robusteval.files import read_json
from robusteval.records import OK, read_records


def read_adversarial(folder: Path, ids: Sequence[int]) -> dict[str, NDArray[np.float32]]:
    """Return the adversarial images of ``ids`` by condition, (n, H, W, C) float32."""
    card = read_json(folder / "card.json")
    place = {image: i for i, image in enumerate(attacked_ids(folder))}
    places = [place[image] for image in ids]
    found: dict[str, NDArray[np.float32]] = {}
    for number, (condition, _) in enumerate(card["conditions"]):
        starts = {_start(name): name for name in card["shards"] if _condition(name) == number}
        of = [max(start for start in starts if start <= at) for at in places]
        shards = {start: read_images(folder / f"{starts[start]}.safetensors") for start in set(of)}
        chosen = [shards[start][at - start] for start, at in zip(of, places, strict=True)]
        found[condition] = np.stack(chosen).transpose(0, 2, 3, 1)
    return found


def attacked_ids(folder: Path) -> list[int]:
    """Return the ids of the attacked images, which all conditions share; none if it failed."""
    if read_json(folder / "card.json")["status"] != OK:
        return []
    frame = read_records(folder / "records.parquet").frame
    same = frame["condition"] == frame["condition"].iloc[0]
    return [int(image) for image in frame.loc[same, "image_id"]]


def _condition(shard: str) -> int:
    return int(shard.split("_")[1])


def _start(shard: str) -> int:
    """Return the place of a shard's first image among those of its condition."""
    return int(shard.rpartition("_")[2])
