"""Bring images of classes that no model was trained on to the shape of the study's images."""

from pathlib import Path
from typing import Any

import numpy as np

from robusteval import plugins
from robusteval.files import read_json
from robusteval.images._image_set import index_of, subset, write_image_set


def build_novel(
    like: Path, name: str, entry: dict[str, Any], count: int, seed: int, folder: Path
) -> None:
    """Write ``count`` images of a novel set in the geometry of the set ``like``; label -1."""
    images, ids = plugins.load("images.novel", entry["novel"])(tuple(read_json(like)["shape"][1:]))
    if len(images) != entry["count"]:
        raise ValueError(f"{name}: {len(images)} images, {entry['count']} expected")
    chosen = subset(ids, count, seed)
    index = index_of(ids[chosen], np.full(count, -1), name)
    write_image_set(folder, images[chosen], index, novel=entry["novel"], seed=seed, count=count)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        build_novel(
            Path(snakemake.input.card),
            snakemake.wildcards.novel,
            snakemake.params.entry,
            snakemake.params.n,
            snakemake.params.seed,
            Path(snakemake.output.card).parent,
        )
