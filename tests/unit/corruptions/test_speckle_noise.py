"""Speckle noise against its moments."""

import numpy as np
import pytest

from robusteval.corruptions.speckle_noise import speckle_noise


@pytest.mark.parametrize("level", [50, 100])
def test_the_deviation_is_in_proportion_to_the_level(level):
    images = np.full((1, 100, 100, 3), level, np.uint8)
    noise = speckle_noise(images, 0.2, [np.random.default_rng(0)]) - float(level)
    n = noise.size  # 30,000 draws; 4 standard errors hold for 99.99% of the seeds
    assert abs(noise.mean() + 0.5) < 4 * 0.2 * level / np.sqrt(n)  # -0.5: truncation
    assert noise.std() == pytest.approx(0.2 * level, rel=4 / np.sqrt(2 * n))


def test_black_stays_black():
    images = np.zeros((1, 28, 28, 3), np.uint8)
    assert not speckle_noise(images, 0.2, [np.random.default_rng(0)]).any()
