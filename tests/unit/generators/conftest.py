"""A small VQ-VAE, trained for a few seconds on drawings of bars."""

import pytest
import torch

from robusteval.generators._reconstruction import reconstruction
from robusteval.generators.vq_vae import vq_vae
from robusteval.seeds import generator as draws
from robusteval.shards import Shards
from robusteval.training._loop import train


def drawn(count, seed):
    """Return images (count, 1, 12, 12) with a bright row or column, grey noise around it."""
    rng = draws(seed, "bars")
    images = 0.1 * torch.from_numpy(rng.random((count, 1, 12, 12), dtype="float32"))
    places, upright = rng.integers(12, size=count), rng.random(count)
    for image, place, side in zip(images, places, upright, strict=True):
        (image[0, :, place] if side < 0.5 else image[0, place])[:] = 0.9
    return images


def fitted(model, folder, epochs=40, seed=0, progress=lambda _: None):
    train(
        model,
        drawn(320, 0),
        torch.zeros(320, dtype=torch.int64),
        loss=reconstruction,
        epochs=epochs,
        batch_size=32,
        optimiser="adamw",
        learning_rate=1e-2,
        weight_decay=0.0,
        seed=seed,
        checkpoints=Shards(folder, "key"),
        progress=progress,
    )
    return model


def built():
    torch.manual_seed(0)
    return vq_vae(shape=(12, 12, 1), width=16, latent=4, codes=32)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    return fitted(built(), tmp_path_factory.mktemp("vq_vae"))


@pytest.fixture(scope="session")
def bars():
    """Draws (count, seed) images."""
    return drawn


@pytest.fixture(scope="session")
def fit():
    """Trains a model (model, folder, ...)."""
    return fitted


@pytest.fixture(scope="session")
def fresh():
    """Builds an untrained model, the same each time."""
    return built
