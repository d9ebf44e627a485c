"""Run a model over perturbation sequences, made as they are needed, and keep its top classes."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.batches import WIDTH
from robusteval.images._image_set import ImageSet, drawn, index_of, read_image_set
from robusteval.models._card import check_size, load_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import evaluate
from robusteval.perturbations._apply import perturb
from robusteval.perturbations._sequences import frames_of
from robusteval.progress import Progress
from robusteval.records import Records, failed, write_records
from robusteval.seeds import generator
from workflow_scripts._made_with import made_with

log = logging.getLogger(__name__)

PLACES = 5
AT_A_TIME = WIDTH  # images whose sequences are in memory at once: their frames fill whole passes


def evaluate_sequences(
    model_folder: Path,
    image_folder: Path,
    kinds: Sequence[str],
    family: str,
    count: int,
    seed: int,
    batch_size: int,
    device: str,
    path: Path,
    *,
    side: int | None = None,
) -> None:
    """Write the records of a cell, or why the model cannot be measured on it.

    A row is a frame: ``condition`` is the kind of perturbation, ``severity`` the number of the
    frame from 1, ``prediction`` the most likely class and ``top_2`` to ``top_5`` those after it
    (fewer where there are fewer classes). No frame and no logit is kept.
    """
    model, card = load_model(model_folder, device)
    images = read_image_set(image_folder)
    height, width, channels = images.card["shape"][1:]
    check_size((side or height, side or width, channels), card)
    chosen = drawn(images, count, seed)
    count = len(chosen)
    settings = {
        "n": count,
        "seed": seed,
        "family": family,
        "kinds": list(kinds),
        "weights": card["weights_sha256"],
        **made_with(device),
    }
    frames = {kind: frames_of(kind, family=family) for kind in kinds}
    progress = Progress(count * sum(frames.values()), "frames")
    ids, labels = (images.index[name].to_numpy()[chosen] for name in ("image_id", "label"))
    classes = len(card["classes"])
    parts = []
    try:
        for kind in kinds:
            top = np.empty((count, frames[kind], min(PLACES, classes)), np.int32)
            for start in range(0, count, AT_A_TIME):
                rows = slice(start, start + AT_A_TIME)
                made = sequences_of(images, chosen[rows], kind, family, seed, side)
                logits = evaluate(
                    model,
                    made.reshape(-1, *made.shape[2:]),
                    classes=classes,
                    device=device,
                    batch_size=batch_size,
                    progress=progress,
                )
                top[rows] = top_classes(logits).reshape(*made.shape[:2], -1)
            parts.append(rows_of(ids, labels, kind, top))
    except ModelError as error:
        log.error("%s", error)
        write_records(path, failed(str(error), settings))
        return
    frame = pd.concat(parts, ignore_index=True)
    write_records(path, Records(frame, np.empty((len(frame), 0), np.float32), settings=settings))


def sequences_of(
    images: ImageSet, chosen: NDArray[np.int64], kind: str, family: str, seed: int, side: int | None
) -> NDArray[np.uint8]:
    """Return the sequences (N, T, H, W, C) of the images at the positions ``chosen`` (N,)."""
    ids = images.index["image_id"].to_numpy()[chosen]
    generators = [generator(seed, "sequence", kind, int(i)) for i in ids]
    return perturb(images.images[chosen], kind, generators, family=family, side=side)


def top_classes(logits: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the most likely classes (N, 5 or K) of ``logits`` (N, K), of equals the first."""
    return np.argsort(-logits, axis=1, kind="stable")[:, :PLACES]


def rows_of(
    ids: NDArray[np.int64], labels: NDArray[np.int64], kind: str, top: NDArray[np.int32]
) -> pd.DataFrame:
    """Return a row a frame of ``top`` (N, T, 5 or K), sequence by sequence."""
    n, frames, places = top.shape
    rows = index_of(np.repeat(ids, frames), np.repeat(labels, frames), kind)
    rows["severity"] = np.tile(np.arange(1, frames + 1), n)
    names = ["prediction", *(f"top_{place}" for place in range(2, places + 1))]
    for place, name in enumerate(names):
        rows[name] = top[..., place].ravel()
    return rows


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        evaluate_sequences(
            Path(snakemake.input.model).parent,
            Path(snakemake.input.images).parent,
            list(snakemake.params.kinds),
            snakemake.params.family,
            snakemake.params.n,
            snakemake.params.seed,
            snakemake.params.batch_size,
            where,
            Path(snakemake.output.records),
        )
