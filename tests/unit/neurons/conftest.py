"""A small convolutional network that uses one layer twice, images, and a model that passes on."""

import pytest
import torch
from torch import nn


class Twice(nn.Module):
    """A network for (N, 3, 8, 8) with a dense layer, channels, and an activation used twice."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(6, 5, 3, stride=2)
        self.relu = nn.ReLU()
        self.head = nn.Linear(45, 4)

    def forward(self, x):
        return self.head(self.relu(self.conv2(self.relu(self.conv1(x)))).flatten(1))


@pytest.fixture(scope="session")
def network():
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return Twice().eval()


@pytest.fixture(scope="session")
def images():
    """150 images, more than two passes."""
    return torch.rand(150, 3, 8, 8, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="session")
def passing_on():
    """Makes a model whose only layer gives the values of its images (N, 1, 1, U)."""

    def make(units):
        layer = nn.Linear(units, units)
        with torch.no_grad():
            layer.weight.copy_(torch.eye(units))
            layer.bias.zero_()
        return nn.Sequential(nn.Flatten(), layer).eval()

    return make


@pytest.fixture(scope="session")
def rows():
    """Makes images (N, 1, 1, U) of rows of numbers."""
    return lambda *values: torch.tensor(values, dtype=torch.float32)[:, None, None]
