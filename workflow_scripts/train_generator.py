"""Train a generator on a fixed part of its training images."""

import logging
from pathlib import Path
from typing import Any

import torch

from robusteval.batches import as_tensor
from robusteval.files import sha256
from robusteval.generators._card import build
from robusteval.generators._passes import in_passes
from robusteval.generators._reconstruction import reconstruction
from robusteval.images._image_set import read_image_set, subset
from robusteval.models._card import save_model
from robusteval.progress import Progress
from robusteval.shards import Shards, key_of
from robusteval.training._loop import train

log = logging.getLogger(__name__)

TRIED = 256  # training images whose round trips say how much it misses
CHOICES = ("commitment", "decay")  # of the loss


def train_generator(
    train_set: Path,
    builder: str,
    arguments: dict[str, Any],
    training: dict[str, Any],
    code: list[str],
    device: str,
    folder: Path,
) -> None:
    """Train by the recipe ``training`` and write weights and card into ``folder``.

    A killed job goes on at its last whole epoch. The card says how far round trips of training
    images are from them, and how large the latents are, which step sizes are to be held against.
    """
    known = read_image_set(train_set)
    chosen = subset(known.index["image_id"].to_numpy(), training["count"], training["seed"])
    images = as_tensor(known.images[chosen])
    card = {
        "builder": builder,
        "arguments": arguments,
        "training": training,
        "input_size": known.card["shape"][1:],
        "torch": torch.__version__,
    }
    torch.manual_seed(training["seed"])  # the initial weights
    generator = build(card).to(device)
    key = key_of(card, known.card["sha256"], [sha256(path) for path in code])
    epochs = training["epochs"]
    choices = {name: training[name] for name in CHOICES if name in training}
    train(
        generator,
        images.to(device),
        torch.zeros(len(images), dtype=torch.int64, device=device),
        loss=lambda *a, **k: reconstruction(*a, **k, **choices),
        epochs=epochs,
        batch_size=training["batch_size"],
        optimiser="adamw",
        learning_rate=training["learning_rate"],
        weight_decay=0.0,
        seed=training["seed"],
        checkpoints=Shards(folder / "checkpoints", key),
        progress=Progress(epochs * training["count"], "training images"),
    )
    few = images[:TRIED].to(device)
    missed = float((in_passes(generator, few) - few).abs().mean())
    size = float(in_passes(generator.encode, few).square().mean().sqrt())
    tried = {"mean_absolute_error": round(missed, 4), "latent_rms": round(size, 4), "n": len(few)}
    log.info("round trips: %s", tried)
    save_model(folder, generator.cpu(), {**card, "round_trip": tried})
    Shards(folder / "checkpoints", "").keep_only([])


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        train_generator(
            Path(snakemake.input.train).parent,
            snakemake.params.builder,
            snakemake.params.arguments,
            snakemake.params.training,
            [*snakemake.input.builder, *snakemake.input.code],
            where,
            Path(snakemake.output.card).parent,
        )
