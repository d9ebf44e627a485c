"""The operations of AugMix: closed forms, and scipy's interpolation as a second opinion."""

import math

import numpy as np
import pytest
import torch
from scipy.ndimage import affine_transform

from robusteval.training import _operations
from robusteval.training._operations import OPERATIONS, UNCHANGED, chained, operated

NAMES = [operation.__name__ for operation in OPERATIONS]
IMAGES = torch.rand((3, 2, 6, 9), generator=torch.Generator().manual_seed(0))


def changed(name, pixels, strength):
    """Return the pixels of one row of one channel after an operation."""
    images = torch.tensor(pixels, dtype=torch.float32).view(1, 1, 1, -1)
    operation = getattr(_operations, name)
    return operation(images, torch.tensor([strength])).flatten().tolist()


# Float32 rounding of values up to 1, here and where nothing else stands beside a tolerance.
ROUNDING = 1e-6


@pytest.mark.parametrize(
    ("name", "pixels", "strength", "expected"),
    [
        ("autocontrast", [0.2, 0.3, 0.4], 0.1, [0.0, 0.5, 1.0]),
        ("autocontrast", [0.3, 0.3], 0.1, [0.3, 0.3]),
        ("equalize", [10 / 255, 20 / 255, 20 / 255, 200 / 255], 0.1, [0.0, 1 / 3, 1 / 3, 1.0]),
        ("equalize", [0.3, 0.3], 0.1, [0.3, 0.3]),
        ("posterize", [95 / 255, 16 / 255, 1.0], 0.2, [80 / 255, 16 / 255, 240 / 255]),
        ("posterize", [95 / 255, 16 / 255, 1.0], -0.3, [64 / 255, 0.0, 224 / 255]),
        ("posterize", [95 / 255, 128 / 255], 1.0, [0.0, 128 / 255]),
        ("solarize", [0.6, 0.8, 1.0], 0.3, [0.6, 0.2, 0.0]),
        ("solarize", [0.6, 0.8, 1.0], -0.3, [0.6, 0.2, 0.0]),
        ("translate_x", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 1.0, [0.3, 0.4, 0.5, 0.6, 0.0, 0.0]),
        ("translate_x", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], -0.5, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
    ],
)
def test_pixels_of_an_operation(name, pixels, strength, expected):
    assert changed(name, pixels, strength) == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("strength", [-1.0, -0.37, 0.2, 1.0])
@pytest.mark.parametrize("name", ["rotate", "shear_x", "shear_y", "translate_x", "translate_y"])
def test_movements_are_those_of_scipy(name, strength):
    angle = math.pi / 6 * strength
    matrix, shift = np.eye(2), np.zeros(2)  # rows, then columns
    if name == "rotate":
        matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    matrix[1, 0] += 0.3 * strength * (name == "shear_x")
    matrix[0, 1] += 0.3 * strength * (name == "shear_y")
    shift[1] = 9 / 3 * strength * (name == "translate_x")
    shift[0] = 6 / 3 * strength * (name == "translate_y")
    centre = np.array([2.5, 4.0])
    found = getattr(_operations, name)(IMAGES, torch.full((3,), strength))
    for image, moved in zip(IMAGES.flatten(0, 1), found.flatten(0, 1), strict=True):
        expected = affine_transform(
            image.numpy().astype(float),
            matrix,
            centre - matrix @ centre + shift,
            order=1,
            mode="grid-constant",
        )
        # Positions of up to 9 pixels in float32, times a slope of up to 1.
        np.testing.assert_allclose(moved.numpy(), expected, atol=5e-6)


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_keeps_to_the_range_and_to_each_image(name):
    operation = getattr(_operations, name)
    strengths = torch.tensor([0.3, -0.9, 0.05])
    together = operation(IMAGES, strengths)
    assert together.shape == IMAGES.shape and together.dtype == IMAGES.dtype
    assert together.min() >= 0 and together.max() <= 1 + ROUNDING
    for i in range(3):
        alone = operation(IMAGES[i : i + 1], strengths[i : i + 1])
        torch.testing.assert_close(alone[0], together[i], atol=ROUNDING, rtol=0)
        for channel in range(2):
            grey = operation(IMAGES[i : i + 1, channel : channel + 1], strengths[i : i + 1])
            torch.testing.assert_close(grey[0, 0], together[i, channel], atol=ROUNDING, rtol=0)


def test_each_image_gets_its_own_operation():
    which = torch.tensor([NAMES.index("solarize"), UNCHANGED, NAMES.index("translate_y")])
    result = operated(IMAGES, which, torch.tensor([1.0, 1.0, 0.5]))
    torch.testing.assert_close(result[0], 1 - IMAGES[0])
    assert torch.equal(result[1], IMAGES[1])
    torch.testing.assert_close(result[2, :, :-1], IMAGES[2, :, 1:], atol=ROUNDING, rtol=0)


def counting(monkeypatch):
    """Replace the operations by two that count on two channels and keep the strengths."""
    strengths = []

    def count(channel):
        def operation(images, strength):
            strengths.extend(strength.tolist())
            return images + torch.nn.functional.one_hot(torch.tensor(channel), 2).view(1, 2, 1, 1)

        return operation

    monkeypatch.setattr(_operations, "OPERATIONS", (count(0), count(1)))
    return strengths


def test_chains_have_one_to_three_operations_of_all_kinds(monkeypatch):
    strengths = counting(monkeypatch)
    rng = torch.Generator().manual_seed(0)
    done = chained(torch.zeros(3000, 2, 1, 1), severity=3, depth=3, rng=rng).view(-1, 2)
    lengths = done.sum(1).long().bincount(minlength=4).tolist()
    assert lengths[0] == 0 and len(lengths) == 4
    # 1,000 expected of each length, with a deviation of 26; 3,000 of each kind, of about 39.
    assert all(abs(n - 1000) < 130 for n in lengths[1:])
    assert all(abs(float(n) - 3000) < 200 for n in done.sum(0))
    values = np.array(strengths)
    assert 0.01 <= np.abs(values).min() < 0.02 and 0.29 < np.abs(values).max() <= 0.3
    assert abs((values > 0).mean() - 0.5) < 0.04  # 6,000 coins: a deviation of 0.0065
    assert abs(np.abs(values).mean() - 0.155) < 0.006  # a deviation of 0.0011


def test_a_severity_of_0_changes_nothing(monkeypatch):
    strengths = counting(monkeypatch)
    rng = torch.Generator().manual_seed(0)
    assert torch.equal(chained(IMAGES, severity=0, depth=3, rng=rng), IMAGES)
    assert not strengths
