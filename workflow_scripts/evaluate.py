"""Run a model over the images of a test and keep every logit."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.images._image_set import drawn, read_image_set
from robusteval.models._card import check_size, load_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import evaluate
from robusteval.models._features import WithFeatures
from robusteval.progress import Progress
from robusteval.records import Records, failed, write_records
from robusteval.row_file import writing_rows
from workflow_scripts._made_with import made_with

log = logging.getLogger(__name__)


Part = tuple[pd.DataFrame, int, Iterator[NDArray[np.uint8]]]
"""The index of images, how many there are, and blocks of them."""
BLOCK = 256  # images read at a time: 39 MB of 224 pixels


def evaluate_cell(
    model_folder: Path,
    parts: Sequence[Part],
    settings: Mapping[str, Any],
    batch_size: int,
    device: str,
    path: Path,
    features: Path | None = None,
) -> None:
    """Write the records of a cell, or why the model cannot be measured on it.

    Its ``features``, where there is a place for them, are a row an image, in the order of the
    records; without a number where the model gives none, without a row in a failed cell.
    """
    model, card = load_model(model_folder, device)
    kept = {
        **settings,
        "weights": card["weights_sha256"],
        **made_with(device),
    }
    total = sum(n for _, n, _ in parts)
    progress = Progress(total, "images")
    # One array, filled part by part: 50,000 images at 15 x 5 corruptions have 15 GB of logits.
    said = np.empty((total, len(card["classes"])), np.float32)
    start = 0
    try:
        with _keeping(features, total) as keep:
            asked = WithFeatures(model) if keep else model
            for _, n, blocks in parts:
                said[start : start + n] = evaluate(
                    asked,
                    taking(blocks, card),
                    classes=len(card["classes"]),
                    device=device,
                    batch_size=batch_size,
                    progress=progress,
                    keep=keep,
                )
                start += n
    except ModelError as error:
        log.error("%s", error)
        with _keeping(features, 0):
            write_records(path, failed(str(error), kept))
        return
    frame = pd.concat([index for index, _, _ in parts], ignore_index=True)
    frame["prediction"] = said.argmax(1)
    write_records(path, Records(frame, said, settings=kept))


def _keeping(
    path: Path | None, count: int
) -> AbstractContextManager[Callable[[NDArray[np.float32]], None] | None]:
    """Return what gives a function that writes features, or None if they have no place."""
    return nullcontext() if path is None else writing_rows(path, count)


def taking(
    blocks: Iterator[NDArray[np.uint8]], card: Mapping[str, Any]
) -> Iterator[NDArray[np.uint8]]:
    """Yield ``blocks`` of images of the size that a model with this card takes."""
    for block in blocks:
        check_size(block.shape[1:], card)
        yield block


def stored_parts(
    folders: list[Path],
    names: list[str] | None,
    count: int,
    seed: int,
    own: Mapping[str, int] | None = None,
) -> tuple[list[Part], dict[str, Any]]:
    """Return the images of sets on disk, and the settings of a cell that is measured on them.

    Of a set that stands for itself, ``count`` images are taken, or the number of its ``own``, and
    ``names`` are their conditions where a test names its sets; a derived set holds just those
    images. Where a set shows some of the model's classes only, which they are is in the settings
    ``subsets``, by condition.
    """
    parts: list[Part] = []
    left_out: dict[str, int] = {}
    subsets: dict[str, list[int]] = {}
    for folder, name in zip(folders, names or [None] * len(folders), strict=True):
        images = read_image_set(folder)
        index, rows = images.index, np.arange(len(images.images))
        if "seed" not in images.card:
            rows = drawn(images, (own or {}).get(name or "", count), seed)
            index = index.iloc[rows] if name is None else index.iloc[rows].assign(condition=name)
            if images.card.get("subset"):
                subsets[name or "clean"] = images.card["subset"]
        left_out |= images.card.get("left_out", {})
        index = index[["image_id", "label", "condition", "severity"]]
        parts.append((index, len(rows), blocks_of(folder / "images.npy", rows)))
    optional = {"subsets": subsets, "left_out": left_out, "counts": dict(own or {})}
    return parts, {"n": count, "seed": seed, **{k: v for k, v in optional.items() if v}}


def blocks_of(file: Path, rows: NDArray[np.int64]) -> Iterator[NDArray[np.uint8]]:
    """Yield the images in ``rows``; mapped anew each time, as pages once read stay in memory."""
    for start in range(0, len(rows), BLOCK):
        yield np.load(file, mmap_mode="r", allow_pickle=False)[rows[start : start + BLOCK]]


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        folders = [Path(card).parent for card in snakemake.input.images]
        n, seed = snakemake.params.n, snakemake.params.seed
        own = snakemake.params.own
        parts, settings = stored_parts(folders, snakemake.params.names, n, seed, own)
        evaluate_cell(
            Path(snakemake.input.model).parent,
            parts,
            settings,
            snakemake.params.batch_size,
            where,
            Path(snakemake.output.records),
            next(map(Path, snakemake.output.features), None),
        )
