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


@pytest.fixture
def generators() -> Callable[[Tensor], list[np.random.Generator]]:
    """Makes fresh generators, one for each image id."""
    return lambda ids: [generator(0, "test", i) for i in ids.tolist()]
