"""Read a corruption of a published set, for the images that the study chose."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import PIL
from numpy.typing import NDArray

from robusteval import plugins
from robusteval.images._image_set import drawn, index_of, read_image_set, write_image_set
from robusteval.images.published._release import Chosen, Published
from robusteval.images.published._resized import resized
from robusteval.progress import Progress

log = logging.getLogger(__name__)

PATH = "path"  # column of an image set's index: the path of the file, where there was one


def chosen_of(index: pd.DataFrame, rows: NDArray[np.int64]) -> Chosen:
    """Return the images in ``rows``, which any corruption of this study has."""
    rows = index.iloc[rows]
    return Chosen(
        rows["image_id"].to_numpy(),
        rows["label"].to_numpy(),
        tuple(rows[PATH]) if PATH in rows else None,
    )


def blocks_of(images: Published, side: int | None) -> Iterator[np.ndarray]:
    """Yield the images of all severities, the mildest first, at ``side`` pixels if it is given."""
    progress = Progress(len(images.severities) * images.count, "images")
    for severity in images.severities:
        for block in images.blocks(severity):
            yield block if side is None else resized(block, side)
            progress(len(block))


def read_published(
    source: Path,
    release: str,
    raw: Path,
    corruption: str,
    count: int,
    seed: int,
    folder: Path,
    *,
    side: int | None = None,
) -> None:
    """Write ``count`` images of ``release``, which lies in ``raw``, at every severity it has.

    The images are those that the clean set ``source`` gives for the seed. Published pixels stay as
    they are, unless ``side`` asks for another size than the published one.
    """
    clean = read_image_set(source)
    chosen = chosen_of(clean.index, drawn(clean, count, seed))
    images = plugins.load("images.published", release)(raw, corruption, chosen)
    height, width, _ = images.shape
    card: dict[str, Any] = {"published_shape": list(images.shape), "pillow": PIL.__version__}
    if side in (None, height):
        side = None
        card["resized"] = None
    else:
        card["resized"] = {"from": [height, width], "to": [side, side], "filter": "bicubic"}
        log.warning("%s: resized from %d to %d pixels", corruption, height, side)
    write_image_set(
        folder,
        blocks_of(images, side),
        pd.concat(
            [index_of(chosen.ids, chosen.labels, corruption, s) for s in images.severities],
            ignore_index=True,
        ),
        # Not `source`: a set that has one stands for itself, and a test would choose from it again.
        origin="published",
        release=release,
        corruption=corruption,
        family=release,
        seed=seed,
        count=len(chosen.ids),
        left_out=clean.card.get("left_out", {}),
        **card,
    )


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        read_published(
            Path(snakemake.input.card).parent,
            snakemake.params.release,
            Path(snakemake.params.raw),
            snakemake.wildcards.corruption,
            snakemake.params.n,
            snakemake.params.seed,
            Path(snakemake.output.card).parent,
            side=snakemake.params.get("side"),
        )
