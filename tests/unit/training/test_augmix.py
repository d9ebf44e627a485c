import math

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from torch.nn import functional as F

from robusteval.training.augmix import augmix, jensen_shannon, mixtures

RNG = torch.Generator
IMAGES = torch.rand((32, 1, 8, 8), generator=RNG().manual_seed(0))
LABELS = torch.arange(32) % 3
WEIGHTS = 8 * torch.linspace(0, 30, 64 * 3).view(64, 3).sin()


def watched(**options):
    """Return the loss and the one batch that the model was shown."""
    seen = []

    def model(images):
        seen.append(images)
        return images.flatten(1) @ WEIGHTS

    loss = augmix(model, IMAGES, LABELS, rng=RNG().manual_seed(3), done=0.5, **options)
    (batch,) = seen
    return loss, batch, model(batch).view(3, 32, 3)


def test_at_severity_0_it_is_standard_training():
    loss, batch, _ = watched(severity=0)
    # Weights that sum to 1 in float32.
    torch.testing.assert_close(batch, IMAGES.repeat(3, 1, 1, 1), atol=1e-6, rtol=0)
    expected = F.cross_entropy(IMAGES.flatten(1) @ WEIGHTS, LABELS)
    # Float32; a divergence of nearly equal views is of second order in their rounding.
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=0)


def test_the_divergence_between_three_views_is_weighed():
    loss, batch, logits = watched(consistency=12.0)
    assert torch.equal(batch[:32], IMAGES)
    assert not torch.equal(batch[32:64], batch[64:])  # two mixtures of their own
    clean = F.cross_entropy(logits[0], LABELS)
    p = logits.softmax(2).numpy().astype(float)
    mean = p.mean(0)
    expected = float((p * np.log(p / mean)).sum(2).mean())
    assert float(loss - clean) == pytest.approx(12 * expected, abs=1e-5)  # float32, 12 times
    assert expected > 0.01  # there is something to weigh


def test_the_divergence_of_certain_and_different_views_is_log_3():
    certain = 200 * torch.eye(3).view(3, 1, 3)
    assert float(jensen_shannon(certain)) == pytest.approx(math.log(3), abs=1e-6)  # float32
    assert float(jensen_shannon(certain[:1].expand(3, 1, 3))) == pytest.approx(0, abs=1e-6)


def test_the_divergence_of_two_views_is_that_of_scipy():
    logits = torch.randn((2, 5, 4), generator=RNG().manual_seed(1), dtype=torch.float64)
    p, q = logits.softmax(2).numpy()
    expected = (jensenshannon(p, q, axis=1) ** 2).mean()  # scipy returns the root
    assert float(jensen_shannon(logits)) == pytest.approx(expected, abs=1e-12)  # float64


def mixed(images=IMAGES, seed=0, **options):
    settings = {"severity": 3, "width": 3, "depth": 3, "alpha": 1.0, **options}
    return mixtures(images, rng=RNG().manual_seed(seed), **settings)


def test_mixtures_are_between_black_and_white_and_stay_near_their_images():
    result = mixed()
    assert result.min() >= 0 and result.max() <= 1 + 1e-6  # float32
    own = (result - IMAGES).flatten(1).norm(dim=1).mean()
    other = (result - IMAGES.roll(1, 0)).flatten(1).norm(dim=1).mean()
    assert 0.1 < own < 0.7 * other
    assert torch.equal(mixed(), result) and not torch.equal(mixed(seed=1), result)


def test_shares_of_chain_and_image_are_uniform(monkeypatch):
    # Chains that return black: what is left of a white image is its own share, Beta(1, 1).
    monkeypatch.setattr("robusteval.training.augmix.chained", lambda x, **_: torch.zeros_like(x))
    left = mixed(torch.ones(4000, 1, 1, 1)).flatten().sort().values
    # The largest gap to a uniform distribution of 4,000 numbers is below 0.031 but for 1 in 1,000.
    assert (left - torch.linspace(0, 1, 4000)).abs().max() < 0.035


def test_the_chains_of_an_image_are_of_that_image(monkeypatch):
    monkeypatch.setattr("robusteval.training.augmix.chained", lambda x, **_: x)
    # Shares that sum to 1 in float32.
    torch.testing.assert_close(mixed(), IMAGES, atol=1e-6, rtol=0)
