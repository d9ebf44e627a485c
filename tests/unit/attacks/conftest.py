"""A small network that knows its four classes well, and images for it."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from robusteval.seeds import generator

COUNT = 80  # more than the widest pass of 64, so that images have to queue


@pytest.fixture(scope="session")
def images_and_labels() -> tuple[Tensor, Tensor]:
    """80 images (80, 3, 12, 12) of four noisy patterns."""
    source = torch.Generator().manual_seed(1)
    patterns = torch.rand(4, 3, 12, 12, generator=source)
    labels = torch.arange(COUNT) % 4
    noise = torch.randn(COUNT, 3, 12, 12, generator=source)
    return (0.5 + 0.25 * (patterns[labels] - 0.5) + 0.2 * noise).clamp(0, 1), labels


@pytest.fixture(scope="session")
def model(images_and_labels: tuple[Tensor, Tensor]) -> nn.Module:
    """A convolutional network with batch normalisation, in evaluation mode."""
    images, labels = images_and_labels
    with torch.random.fork_rng():
        torch.manual_seed(2)
        network = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 8, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(288, 4),
        )
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(25):
        optimiser.zero_grad(set_to_none=True)
        F.cross_entropy(network(images), labels).backward()
        optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return network.eval()


@pytest.fixture(scope="session")
def generators() -> Callable[[Tensor], list[np.random.Generator]]:
    """Makes fresh generators, one for each image id."""
    return lambda ids: [generator(0, "test", i) for i in ids.tolist()]


@pytest.fixture(scope="session")
def linear() -> Callable[[Tensor], nn.Module]:
    """Makes a model of two logits, 0 and w . x - b, that puts 0.5 everywhere at margin -0.1.

    Class 0 is predicted there; the nearest images of class 1 are known in closed form.
    """

    def make(weight: Tensor) -> nn.Module:
        layer = nn.Linear(len(weight), 2)
        with torch.no_grad():
            layer.weight.copy_(torch.stack([torch.zeros_like(weight), weight]))
            layer.bias.copy_(torch.tensor([0.0, -0.5 * float(weight.sum()) - 0.1]))
        return nn.Sequential(nn.Flatten(), layer).eval()

    return make
