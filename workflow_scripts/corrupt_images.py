"""Corrupt the study's images at every severity of a family, seeded image by image."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.corruptions._severities import severities
from robusteval.corruptions._stream import stream
from robusteval.images._image_set import drawn, index_of, read_image_set, write_image_set
from robusteval.progress import Progress


def corrupt_images(
    source: Path,
    corruption: str,
    family: str,
    count: int,
    seed: int,
    folder: Path,
    *,
    storage: str = "array",
    workers: int = 1,
) -> None:
    """Write ``count`` images of ``source`` at every severity, the mildest first."""
    clean = read_image_set(source)
    chosen = drawn(clean, count, seed)
    count = len(chosen)
    ids, labels = (clean.index[name].to_numpy()[chosen] for name in ("image_id", "label"))
    levels = severities(family)
    blocks = stream(
        clean.images,
        corruption,
        levels,
        seed,
        ids,
        family=family,
        storage=storage,
        rows=chosen,
        workers=workers,
    )
    index = [index_of(ids, labels, corruption, severity) for severity in levels]
    write_image_set(
        folder,
        _counted(blocks, Progress(len(levels) * count, "images")),
        pd.concat(index, ignore_index=True),
        corruption=corruption,
        family=family,
        storage=storage,
        seed=seed,
        count=count,
        left_out=clean.card.get("left_out", {}),
    )


def _counted(
    blocks: Iterable[NDArray[np.uint8]], progress: Progress
) -> Iterator[NDArray[np.uint8]]:
    for block in blocks:
        yield block
        progress(len(block))


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
            storage=snakemake.params.storage,
            workers=snakemake.threads,
        )
