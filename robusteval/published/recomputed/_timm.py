"""The columns of timm's result tables, taken together by model and input size."""

import csv
from pathlib import Path
from typing import NamedTuple

TABLE = "tables/timm_imagenet.csv"
SOURCE = "pytorch-image-models results-*.csv"
BASE = {
    "imagenet_real": "imagenet_validation",
    "imagenet_v2": "imagenet_validation",
    "imagenet_sketch": "imagenet_validation",
    "imagenet_a": "imagenet_a_clean",
    "imagenet_r": "imagenet_r_clean",
}
"""The images that a set is compared with: those of ImageNet, of the same classes."""


class Entry(NamedTuple):
    """A model at an input size on one set: its values as printed, "" where there is none."""

    name: str
    base: str
    shifted: str
    difference: str
    rank_difference: str


def entries(folder: str | Path, test: str) -> list[Entry]:
    """Return what timm published of each model on a set; [] if the folder has no such table."""
    path = Path(folder) / TABLE
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return [
            Entry(
                f"{cells['model']} at {cells['img_size']}",
                cells[BASE[test]],
                cells[test],
                cells[f"{test}_diff"],
                cells[f"{test}_rank_diff"],
            )
            for cells in csv.DictReader(file)
        ]
