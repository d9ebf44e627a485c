"""A small network that knows twelve classes well, and subjects made of it or of broken kin."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from robusteval.batches import as_tensor
from robusteval.checks._subject import subject_of
from robusteval.models._normalised import Normalised
from robusteval.seeds import generator

COUNT, CLASSES = 192, 12  # more than ten classes, so that strings sort otherwise than numbers
CARD = {"classes": list("abcdefghijkl"), "mean": [0.5, 0.45, 0.4], "std": [0.25, 0.25, 0.2]}


class Then(nn.Module):
    """``network`` with a function before or after it."""

    def __init__(self, network, *, before=None, after=None):
        super().__init__()
        self.network, self.before, self.after = network, before, after

    def forward(self, images):
        logits = self.network(self.before(images) if self.before else images)
        return self.after(logits) if self.after else logits


@pytest.fixture(scope="session")
def images():
    """192 images (192, 12, 12, 3) uint8 of twelve noisy patterns, in an order of no system."""
    draw = generator(0, "checks")
    patterns = draw.uniform(30, 220, size=(CLASSES, 12, 12, 3))
    noisy = patterns[labels_of(COUNT)] + draw.normal(scale=30, size=(COUNT, 12, 12, 3))
    return noisy.clip(0, 255).astype(np.uint8)


def labels_of(n):
    return generator(0, "labels").integers(CLASSES, size=n)


@pytest.fixture(scope="session")
def network(images):
    """A convolutional network with batch norm and dropout, trained, without normalisation."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        net = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(288, CLASSES),
        )
        model = Normalised(net, CARD["mean"], CARD["std"])
        optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
        for _ in range(25):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(as_tensor(images)), torch.from_numpy(labels_of(COUNT)))
            loss.backward()
            optimiser.step()
        optimiser.zero_grad()
    return net.eval().requires_grad_(False)


@pytest.fixture
def model(network):
    """The good model; its layers are shared, so a test that changes one changes it back."""
    return Normalised(network, CARD["mean"], CARD["std"]).eval()


@pytest.fixture
def subject(images, model):
    """Make a subject of the good model, or of a model or card or labels or fewer images instead."""

    def make(instead=None, *, n=COUNT, labels=None, **card):
        labels = labels_of(COUNT) if labels is None else labels
        return subject_of(instead or model, images[:n], labels[:n], card=CARD | card)

    return make


@pytest.fixture
def saying(subject):
    """Make a subject whose model said ``logits`` of images with ``labels``."""

    def make(logits, labels, **card):
        logits, labels = np.asarray(logits, np.float32), np.asarray(labels)
        return replace(
            subject(n=1), logits=logits, labels=labels, classes=logits.shape[1], card=card
        )

    return make


@pytest.fixture
def then():
    return Then
