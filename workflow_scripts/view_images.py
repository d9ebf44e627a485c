"""Bring the listed images of a user's folder into a view, as an image set."""

import logging
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.files import read_json, sha256
from robusteval.images._content import OK, Source, Views, views
from robusteval.images._image_set import index_of, write_image_set
from robusteval.images._source import listing_of
from robusteval.images._view import View, view_of
from robusteval.progress import Progress
from robusteval.workers import enough, in_order

log = logging.getLogger(__name__)

BLOCK = 32  # images a task of a worker; at 224 pixels a block has 5 MB


def view_images(
    manifest: Path, listed: Path, view: str | dict[str, Any], folder: Path, workers: int
) -> None:
    """Write the image set of the readable images of ``manifest``, whose card is ``listed``.

    Raises:
        ValueError: the manifest is damaged, an image is gone or changed, or in a view as stored
            not all have one shape.
    """
    about, geometry = read_json(listed), view_of(view)
    if (now := sha256(manifest)) != about["sha256"][manifest.name]:
        raise ValueError(
            f"{manifest}: SHA-256 is {now}, not that of {listed}; list the images again"
        )
    frame = pd.read_parquet(manifest)
    good = frame[frame["status"] == OK].reset_index(drop=True)
    if geometry.size is None:
        _check_one_shape(good)
    shared, rows = _views(about, frame, good, geometry)
    index = index_of(good["image_id"].to_numpy(), good["label"].to_numpy(), "clean")
    write_image_set(
        folder,
        _blocks(shared, rows, workers),
        index.assign(path=good["path"]),
        source=about["entry"]["folder"],
        layout=about["layout"],
        classes=about["classes"],
        subset=about["subset"],
        count=len(good),
        view=asdict(geometry),
        orientation=about["orientation"],
        on_unreadable=about["on_unreadable"],
        left_out={folder.parent.name: about["skipped"]} if about["skipped"] else {},
        skipped_files=about["skipped_files"],
        manifest_sha256=now,
    )
    log.info("%s: %d images, %d skipped", folder, len(good), about["skipped"])


def _views(
    about: dict[str, Any], frame: pd.DataFrame, good: pd.DataFrame, view: View
) -> tuple[Views, list[int]]:
    """Return what the workers share, and the rows of the listing to be viewed."""
    entry = about["entry"]
    listing = listing_of({**entry, "count": None, "present": None})  # held to them when listed
    place = {name: i for i, name in enumerate(listing.names)}
    if gone := [path for path in good["path"] if path not in place]:
        raise ValueError(
            f"{entry['folder']}: {gone[0]} was listed and is gone ({len(gone):,} in all); restore "
            f"it, or list the images again"
        )
    hashes = dict(zip(frame["path"], frame["sha256"], strict=True))
    source = Source(listing.read, listing.names, about["orientation"])
    shared = Views(source, view, [hashes.get(name, "") for name in listing.names])
    return shared, [place[path] for path in good["path"]]


def _check_one_shape(good: pd.DataFrame) -> None:
    """Images as stored have to have one size, or they are no array."""
    sizes = good[["width", "height"]].to_numpy()
    other = np.flatnonzero((sizes != sizes[0]).any(axis=1))
    if len(other):
        (width, height), first = sizes[other[0]], sizes[0]
        raise ValueError(
            f"{good['path'].iloc[other[0]]}: {width} x {height} pixels, {first[0]} x {first[1]} "
            f"expected as in {good['path'].iloc[0]}; give the set a view with a size"
        )


def _blocks(shared: Views, rows: list[int], workers: int) -> Iterator[NDArray[np.uint8]]:
    blocks = [rows[i : i + BLOCK] for i in range(0, len(rows), BLOCK)]
    progress = Progress(len(rows), "images")
    for block in in_order(views, shared, blocks, workers=enough(len(blocks), workers)):
        yield block
        progress(len(block))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        view_images(
            Path(snakemake.input.manifest),
            Path(snakemake.input.listed),
            snakemake.params.view,
            Path(snakemake.output.card).parent,
            snakemake.threads,
        )
