"""Train a model on a fixed part of its training images."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from robusteval import plugins
from robusteval.batches import as_tensor
from robusteval.files import sha256
from robusteval.images._image_set import read_image_set, subset
from robusteval.models._card import build, load_model, save_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import evaluate
from robusteval.progress import Progress
from robusteval.records import read_records
from robusteval.shards import Shards, key_of
from robusteval.training._loop import train

log = logging.getLogger(__name__)


def train_model(
    train_set: Path,
    test_set: Path,
    builder: str,
    arguments: dict[str, Any],
    training: dict[str, Any],
    code: list[str],
    device: str,
    folder: Path,
    sources: Sequence[Path] = (),
    searched: Path | None = None,
) -> None:
    """Train by the recipe ``training`` and write weights and card into ``folder``.

    The method is given the models in the folders ``sources`` too, if there are any. The valid ones
    of the images in the folder ``searched``, if there is one, are training images beside the
    others, with the labels of their originals. The card says how to run the model and how right it
    is on the whole of ``test_set``.
    """
    known = read_image_set(train_set)
    chosen = subset(known.index["image_id"].to_numpy(), training["count"], training["seed"])
    images = as_tensor(known.images[chosen])
    labels = torch.from_numpy(known.index["label"].to_numpy()[chosen])
    card = {
        "builder": builder,
        "arguments": arguments,
        "training": training,
        "classes": known.card["classes"],
        "input_size": known.card["shape"][1:],
        "mean": _rounded(images.mean((0, 2, 3))),
        "std": _rounded(images.std((0, 2, 3))),
        "view": "as stored: no resize, no crop",
        "torch": torch.__version__,
    }
    others = {source.name: load_model(source, device) for source in sources}
    if others:
        card["sources"] = {name: about["weights_sha256"] for name, (_, about) in others.items()}
    if searched is not None:
        more, named, hashes = valid_images(searched, training["searched"]["condition"])
        card["searched"] = {"n": len(more), "sha256": hashes}
        images, labels = torch.cat([images, more]), torch.cat([labels, named])
    torch.manual_seed(training["seed"])  # the initial weights
    model = build(card).to(device)
    key = key_of(card, known.card["sha256"], [sha256(path) for path in code])
    epochs, method = training["epochs"], plugins.load("training", training["method"])
    options = dict(training["method_arguments"])
    options |= {"others": [other for other, _ in others.values()]} if others else {}
    train(
        model,
        images.to(device),
        labels.to(device),
        loss=lambda *a, **k: method(*a, **k, **options),
        epochs=epochs,
        batch_size=training["batch_size"],
        optimiser=training["optimiser"],
        learning_rate=training["learning_rate"],
        weight_decay=training["weight_decay"],
        seed=training["seed"],
        checkpoints=Shards(folder / "checkpoints", key),
        progress=Progress(epochs * len(images), "training images"),
    )
    test = read_image_set(test_set)
    right: dict[str, Any] = {"images": test_set.name, "n": len(test.images)}
    try:
        logits = evaluate(model, test.images, classes=len(card["classes"]), device=device)
        right["accuracy"] = float(np.mean(logits.argmax(1) == test.index["label"].to_numpy()))
    except ModelError as error:  # its cells will say so too, and the others go on
        right |= {"accuracy": None, "error": str(error)}
    log.info("clean: %s", right)
    save_model(folder, model.cpu(), {**card, "clean": right})
    Shards(folder / "checkpoints", "").keep_only([])


def valid_images(folder: Path, condition: str) -> tuple[Tensor, Tensor, dict[str, str]]:
    """Return the images (N, C, H, W) that an oracle accepts, labels (N,), and the set's hashes."""
    found = read_image_set(folder)
    valid = read_records(folder / "records.parquet").frame["valid"].to_numpy()[-len(found.index) :]
    rows = np.flatnonzero(valid & (found.index["condition"] == condition).to_numpy())
    labels = torch.from_numpy(found.index["label"].to_numpy()[rows])
    return as_tensor(found.images[rows]), labels, found.card["sha256"]


def _rounded(values: Tensor) -> list[float]:
    """Return values per channel with the four decimals that published means have."""
    return [round(float(value), 4) for value in values]


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        train_model(
            Path(snakemake.input.train).parent,
            Path(snakemake.input.test).parent,
            snakemake.params.builder,
            snakemake.params.arguments,
            snakemake.params.training,
            [*snakemake.input.builder, *snakemake.input.method, *snakemake.input.code],
            where,
            Path(snakemake.output.card).parent,
            [Path(card).parent for card in snakemake.input.sources],
            next((Path(card).parent for card in snakemake.input.searched), None),
        )
