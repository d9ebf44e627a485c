"""Fog and its clouds against what their construction implies."""

import numpy as np
import pytest
from numpy.random import default_rng as rng

from robusteval.corruptions._plasma import plasma
from robusteval.corruptions.fog import fog


@pytest.mark.parametrize("side", [32, 256])
def test_clouds_fill_the_scale_and_nothing_else(side):
    cloud = plasma(side, 2.0, np.random.default_rng(0))
    assert cloud.shape == (side, side)
    assert cloud.min() == 0.0
    assert cloud.max() == 1.0


def test_a_higher_decay_is_smoother():
    def roughness(decay):
        cloud = plasma(64, decay, np.random.default_rng(1))
        return np.abs(np.diff(cloud, axis=0)).mean() / cloud.std()

    assert roughness(3.0) < roughness(2.0) < roughness(1.4)


def test_without_noise_but_in_one_corner_clouds_are_means_of_neighbours():
    class Once:
        """Returns 1 for the first point, and from then on the middle, which is no noise."""

        first = True

        def random(self, size, dtype):
            drawn = np.full(size, 1.0 if self.first else 0.5, dtype)
            self.first = False
            return drawn

    # In shares of the largest, the first centre, with 2 of 4 neighbours on a side of the square:
    # (0 + 0 + 1 + 1) / 4, then (0 + 0.5 + 0.5 + 1) / 4 for the next centres, and so on.
    cloud = plasma(4, 2.0, Once())
    assert cloud[0].tolist() == [0.0, 0.375, 0.5, 0.375]
    assert cloud[2].tolist() == [0.5, 0.625, 1.0, 0.625]
    assert cloud[1, 1] == 0.5


# Both truncate the same number but for rounding, of a few steps near 255 each.
@pytest.mark.parametrize(("source", "rounding"), [(np.random.RandomState, 1e-9), (rng, 1e-4)])
@pytest.mark.parametrize("shape", [(28, 28, 1), (30, 41, 3)])
def test_a_flat_image_keeps_its_level_under_the_densest_cloud(shape, source, rounding):
    images = np.full((1, *shape), 100, np.uint8)
    strength = 1.5
    result = fog(images, (strength, 2.0, 32), [source(0)])
    light = 100 / 255
    cloud = plasma(64 if shape[1] > 32 else 32, 2.0, source(0)).astype(float)
    cloud = cloud[: shape[0], : shape[1], np.newaxis]
    expected = 255 * light * (light + strength * cloud) / (light + strength)
    assert (result[0] >= np.floor(expected - rounding)).all()
    assert (result[0] <= np.floor(expected + rounding)).all()


def test_black_stays_black():
    images = np.zeros((1, 28, 28, 3), np.uint8)
    assert not fog(images, (3, 1.4, 32), [np.random.default_rng(0)]).any()
