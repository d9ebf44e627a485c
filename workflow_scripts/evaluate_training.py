"""Run a model over training images and keep its features, for scores that are fitted on them."""

import logging
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from robusteval.files import replacing
from robusteval.images._image_set import read_image_set, subset
from robusteval.models._card import load_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import evaluate
from robusteval.models._features import WithFeatures
from robusteval.progress import Progress
from workflow_scripts.evaluate import blocks_of, taking

log = logging.getLogger(__name__)


def evaluate_training(
    model_folder: Path,
    image_folder: Path,
    count: int,
    seed: int,
    batch_size: int,
    device: str,
    path: Path,
) -> None:
    """Write features (N, D), logits (N, K) and labels (N,) of ``count`` training images.

    They are drawn by ``seed``; of a model that was trained here, from those that it was trained on.
    The weight (K, D) and bias (K,) of the last layer are beside them. Of a model without features,
    or that cannot be measured, there is only the reason, in the metadata.

    Raises:
        ValueError: there are fewer images than ``count``.
    """
    model, card = load_model(model_folder, device)
    asked = WithFeatures(model)
    known = read_image_set(image_folder)
    ids, labels = (known.index[name].to_numpy() for name in ("image_id", "label"))
    pool = np.flatnonzero(labels >= 0)
    if "training" in card:
        recipe = card["training"]
        pool = subset(ids, recipe["count"], recipe["seed"])
    rows = pool[subset(ids[pool], count, seed)]
    parts: list[np.ndarray] = []
    try:
        logits = evaluate(
            asked,
            taking(blocks_of(image_folder / "images.npy", rows), card),
            classes=len(card["classes"]),
            device=device,
            batch_size=batch_size,
            progress=Progress(count, "training images"),
            keep=parts.append,
        )
    except ModelError as error:
        log.error("%s", error)
        _write(path, {}, str(error))
        return
    last = asked.last_layer()
    if last is None:
        reason = "this model gives none: its logits are not what a linear layer returns"
        log.warning("%s: %s", model_folder.name, reason)
        _write(path, {}, reason)
        return
    tensors = {
        "features": torch.from_numpy(np.concatenate(parts)),
        "logits": torch.from_numpy(logits),
        "labels": torch.from_numpy(labels[rows]),
        "weight": last[0].cpu(),
        "bias": last[1].cpu(),
    }
    _write(path, tensors, "")


def _write(path: Path, tensors: dict[str, Tensor], reason: str) -> None:
    with replacing(path) as temporary:
        save_file({k: t.contiguous() for k, t in tensors.items()}, temporary, {"reason": reason})


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        evaluate_training(
            Path(snakemake.input.model).parent,
            Path(snakemake.input.images).parent,
            snakemake.params.n,
            snakemake.params.seed,
            snakemake.params.batch_size,
            where,
            Path(snakemake.output.training),
        )
