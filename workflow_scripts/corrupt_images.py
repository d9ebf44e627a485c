"""Corrupt the study's images at every severity of a family, seeded image by image."""

from pathlib import Path

import numpy as np
import pandas as pd

from robusteval.corruptions._apply import corrupt
from robusteval.corruptions._severities import severities
from robusteval.images._image_set import index_of, read_image_set, subset, write_image_set
from robusteval.progress import Progress
from robusteval.seeds import generator


def corrupt_images(
    source: Path, corruption: str, family: str, count: int, seed: int, folder: Path
) -> None:
    """Write ``count`` images of ``source`` at every severity, the mildest first."""
    clean = read_image_set(source)
    chosen = subset(clean.index["image_id"].to_numpy(), count, seed)
    images = clean.images[chosen]
    ids, labels = (clean.index[name].to_numpy()[chosen] for name in ("image_id", "label"))
    levels = severities(family)
    progress = Progress(len(levels) * count, "images")
    parts, indices = [], []
    for severity in levels:
        generators = [generator(seed, corruption, severity, int(i)) for i in ids]
        parts.append(corrupt(images, corruption, severity, generators, family=family))
        indices.append(index_of(ids, labels, corruption, severity))
        progress(count)
    write_image_set(
        folder,
        np.concatenate(parts),
        pd.concat(indices, ignore_index=True),
        corruption=corruption,
        family=family,
        seed=seed,
        count=count,
    )


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        corrupt_images(
            Path(snakemake.input.card).parent,
            snakemake.wildcards.corruption,
            snakemake.params.family,
            snakemake.params.n,
            snakemake.params.seed,
            Path(snakemake.output.card).parent,
        )
