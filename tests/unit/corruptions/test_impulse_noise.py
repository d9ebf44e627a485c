"""Impulse noise against the binomial distribution."""

import numpy as np
import pytest

from robusteval.corruptions.impulse_noise import impulse_noise


@pytest.mark.parametrize("amount", [0.03, 0.27])
def test_values_are_replaced_as_often_as_asked_by_either_extreme(amount):
    images = np.full((1, 100, 100, 3), 128, np.uint8)
    result = impulse_noise(images, amount, [np.random.default_rng(0)])
    assert set(np.unique(result).tolist()) == {0, 128, 255}
    n = result.size  # 4 standard errors of a share hold for 99.99% of the seeds
    for level in (0, 255):
        error = np.sqrt(amount / 2 * (1 - amount / 2) / n)
        assert abs(np.mean(result == level) - amount / 2) < 4 * error
    # Channels are hit one by one: all three of a pixel far less often than one.
    assert np.mean((result != 128).all(axis=-1)) < amount / 4
