"""A small network, images that it mostly gets right, and generators for them."""

import pytest
import torch
from torch import nn

from robusteval.seeds import generator


@pytest.fixture(scope="session")
def network():
    """A convolutional network for (N, 3, 8, 8) and four classes, in evaluation mode."""
    with torch.random.fork_rng():
        torch.manual_seed(2)
        return nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1),
            nn.BatchNorm2d(6),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(6, 6, 3, padding=1),
            nn.Tanh(),
            nn.Flatten(),
            nn.Linear(96, 4),
        ).eval()


@pytest.fixture(scope="session")
def images():
    """Eight images (8, 3, 8, 8)."""
    return torch.rand(8, 3, 8, 8, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="session")
def labels(network, images):
    """What the network says, but for image 3."""
    with torch.no_grad():
        said = network(images).argmax(1)
    said[3] = (said[3] + 1) % 4
    return said


@pytest.fixture
def few_searches(monkeypatch):
    """Fit from one shape instead of seven, which is not what is tested here but takes the time."""
    monkeypatch.setattr("robusteval.probes._weibull.SHAPES", (5.0,))


@pytest.fixture
def generators():
    """Makes fresh generators, one for each image."""
    return lambda ids: [generator(0, "test", int(i)) for i in ids]
