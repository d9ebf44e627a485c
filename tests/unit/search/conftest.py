"""A generator that is the identity, and small networks that disagree soon."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from robusteval.generators._generator import Generator
from robusteval.generators._reconstruction import reconstruction
from robusteval.generators.vq_vae import vq_vae
from robusteval.oracles.supervised import supervised
from robusteval.oracles.zoo import zoo
from robusteval.shards import Shards
from robusteval.training._loop import train


class Identity(Generator):
    """Latents are the images."""

    def encode(self, images):
        return images.clone()

    def decode(self, latents):
        return latents * 1


@pytest.fixture(scope="session")
def identity():
    """An untrained thing that is ready for use."""
    return Identity().eval()


def patterns(count, seed):
    """Return images (count, 1, 12, 12), of 256 levels, of four noisy patterns, and which it is."""
    rng = torch.Generator().manual_seed(seed)
    shapes = torch.rand(4, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(count) % 4
    images = nn.functional.interpolate(shapes, (12, 12), mode="bilinear")[labels]
    noisy = images + 0.15 * torch.randn(images.shape, generator=rng)
    return (noisy.clamp(0, 1) * 255).round() / 255, labels


def network(seed):
    """Return a classifier of the patterns, in evaluation mode."""
    torch.manual_seed(seed)
    made = nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 8, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(128, 4),
    )
    images, labels = patterns(160, seed)
    optimiser = torch.optim.Adam(made.parameters(), lr=0.01)
    for _ in range(40):
        optimiser.zero_grad()
        nn.functional.cross_entropy(made(images), labels).backward()
        optimiser.step()
    return made.eval().requires_grad_(False)


@pytest.fixture(scope="session")
def scene(tmp_path_factory):
    """A model, a VQ-VAE, a zoo of three and 90 images, of which ten have a wrong label."""
    with torch.random.fork_rng():
        images, _ = patterns(320, 0)
        torch.manual_seed(4)
        generator = vq_vae(shape=(12, 12, 1), width=12, latent=3, codes=24)
        train(
            generator,
            images,
            torch.zeros(320),
            loss=reconstruction,
            epochs=25,
            batch_size=32,
            optimiser="adamw",
            learning_rate=1e-2,
            weight_decay=0.0,
            seed=0,
            checkpoints=Shards(tmp_path_factory.mktemp("generator"), "key"),
            progress=lambda _: None,
        )
        generator.requires_grad_(False)
        model, members = network(1), [network(seed) for seed in (2, 3, 4)]
    images, labels = patterns(90, 5)
    labels[::9] = (labels[::9] + 1) % 4
    return SimpleNamespace(
        model=model,
        generator=generator,
        oracle=zoo([supervised(member) for member in members]),
        images=images,
        labels=labels,
    )
