import numpy as np
import pytest
import torch
from torch.nn import functional as F

from robusteval.training import pixmix as module
from robusteval.training.pixmix import added, mixtures, multiplied, pixmix, weights

RNG = torch.Generator
IMAGES = torch.rand((32, 1, 8, 8), generator=RNG().manual_seed(0))
LABELS = torch.arange(32) % 3


def mixed(images=IMAGES, seed=0, **options):
    settings = {"severity": 3, "rounds": 4, "beta": 3.0, "pictures": 32, **options}
    return mixtures(images, rng=RNG().manual_seed(seed), **settings)


def test_without_rounds_and_severity_it_is_standard_training():
    matrix = torch.linspace(0, 30, 64 * 3).view(64, 3).sin()
    loss = pixmix(
        lambda images: images.flatten(1) @ matrix,
        IMAGES,
        LABELS,
        rng=RNG().manual_seed(0),
        done=0.5,
        severity=0,
        rounds=0,
    )
    assert torch.equal(loss, F.cross_entropy(IMAGES.flatten(1) @ matrix, LABELS))


def test_half_of_the_images_begin_with_an_operation(monkeypatch):
    monkeypatch.setattr(module, "chained", lambda images, **_: 1 - images)
    start = mixed(torch.zeros(2000, 1, 1, 1), rounds=0).flatten()
    assert abs(float(start.mean()) - 0.5) < 0.05  # a deviation of 0.011


def test_rounds_are_none_to_four_and_half_of_them_with_fractals():
    # Grey mixed with itself stays grey, and with a fractal it does not; without operations, an
    # image of r rounds stays with a chance of 1 in 2^r: (1 + 1/2 + ... + 1/16) / 5 of all.
    grey = torch.full((2000, 1, 4, 4), 0.5)
    result = mixed(grey, severity=0)
    same = ((result - grey).abs().amax((1, 2, 3)) < 1e-6).float().mean()  # float32
    assert abs(float(same) - 0.3875) < 0.05  # a deviation of 0.011


def test_mixtures_keep_to_the_range_even_of_black_and_white():
    black_and_white = torch.cat([IMAGES.round(), torch.zeros(8, 1, 8, 8), torch.ones(8, 1, 8, 8)])
    for seed in range(20):
        result = mixed(black_and_white, seed)
        assert torch.isfinite(result).all()
        assert result.min() >= 0 and result.max() <= 1 + 1e-6  # float32
    assert torch.equal(mixed(), mixed()) and not torch.equal(mixed(), mixed(seed=1))


@pytest.mark.parametrize("mix", [added, multiplied])
def test_a_partner_of_weight_0_changes_nothing(mix):
    one, none = torch.ones(32, 1, 1, 1), torch.zeros(32, 1, 1, 1)
    # Float32.
    torch.testing.assert_close(mix(IMAGES, IMAGES.flip(0), one, none), IMAGES, atol=1e-6, rtol=0)


def test_sums_and_products_of_numbers():
    x, y, a, b = (torch.tensor(value) for value in (0.8, 0.3, 0.75, 0.25))
    # With weights of sum 1 the grey offset cancels: 0.75 * 0.8 + 0.25 * 0.3. Float32.
    assert added(x, y, a, b).item() == pytest.approx(0.675, abs=1e-6)
    assert added(x, y, torch.tensor(1.25), -b).item() == pytest.approx(0.925, abs=1e-6)
    assert multiplied(x, y, a, b).item() == pytest.approx(1.6**0.75 * 0.6**0.25 / 2, abs=1e-6)
    grey = torch.tensor(0.5)
    assert multiplied(grey, grey, a, b).item() == pytest.approx(0.5, abs=1e-6)
    black = torch.tensor(0.0)
    assert multiplied(black, black, a, -b).item() == 0  # and not infinity times 0


def test_the_image_has_the_larger_weight():
    own, partner = weights(20000, 3.0, np.random.default_rng(0))
    away = partner < 0
    assert abs(away.mean() - 0.5) < 0.02  # a deviation of 0.0035
    # Means of Beta(3, 1) and Beta(1, 3); a deviation of 0.19 / sqrt(10,000) = 0.002.
    for chosen, expected in ((own[~away], 0.75), (partner[~away], 0.25)):
        assert abs(chosen.mean() - expected) < 0.01
    for chosen, expected in ((own[away], 1.25), (partner[away], -0.25)):
        assert abs(chosen.mean() - expected) < 0.01
    assert own.min() > 0 and own.max() < 2 and np.abs(partner).max() < 1
