import math

import numpy as np
import pytest

from robusteval.metrics.eni import eni

LOSS = np.array([0.1, 0.1, 0.2, 0.2])  # two images, each with two noises
NOISY = np.array([0.3, 0.5, 0.15, 0.2])
DISTANCE = np.array([0.1, 0.2, 0.05, 0.1])


def test_by_hand():
    # Float64 differences of numbers of about 0.1, divided by such: a few 1e-15.
    assert eni(LOSS, NOISY, DISTANCE) == pytest.approx((2 + 2 + 1 + 0) / 4, abs=1e-13)
    assert eni(LOSS, NOISY, DISTANCE, eps=0.1) == pytest.approx((2 + 1 + 0) / 3, abs=1e-13)
    assert eni(LOSS[::2], NOISY[::2], DISTANCE[::2]) == pytest.approx(1.5, abs=1e-13)


def test_a_copy_that_is_the_image_says_nothing():
    assert eni(LOSS, NOISY, DISTANCE * [1, 0, 0, 0]) == pytest.approx(2, abs=1e-13)
    assert math.isnan(eni(LOSS, NOISY, 0 * DISTANCE))
    assert math.isnan(eni(LOSS, NOISY, DISTANCE, eps=0.01))


def test_a_change_rounded_in_float32_is_within_eps():
    distance = np.array([np.float32(0.7) + np.float32(8 / 255) - np.float32(0.7)], np.float64)
    assert distance[0] != 8 / 255
    assert eni(LOSS[:1], NOISY[:1], distance, eps=8 / 255) > 0
    assert math.isnan(eni(LOSS[:1], NOISY[:1], distance + 2e-6, eps=8 / 255))


def test_arguments_that_cannot_be_used_are_named():
    with pytest.raises(ValueError, match=r"distance -0\.1: expected 0 or more"):
        eni(LOSS, NOISY, DISTANCE * [-1, 1, 1, 1])
    with pytest.raises(ValueError, match="noisy_loss holds 1 values that are NaN"):
        eni(LOSS, NOISY * [1, 1, 1, np.inf], DISTANCE)
