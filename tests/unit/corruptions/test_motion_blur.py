"""Motion blur against a sum pixel by pixel."""

import math

import numpy as np
import pytest

from robusteval.corruptions._motion import moved
from robusteval.corruptions.motion_blur import motion_blur


def one_by_one(image, radius, sigma, degrees):
    """Return the unrounded levels of ``image`` (H, W, C), each a sum over its own line."""
    weights = [math.exp(-i * i / (2 * sigma**2)) for i in range(2 * radius + 1)]
    rows, columns = np.mgrid[: image.shape[0], : image.shape[1]]
    total = np.zeros(image.shape)
    for i, weight in enumerate(weights):
        down = math.ceil(i * math.sin(math.radians(degrees)) - 0.5)
        right = math.ceil(i * math.cos(math.radians(degrees)) - 0.5)
        r = np.clip(rows + down, 0, image.shape[0] - 1)
        c = np.clip(columns + right, 0, image.shape[1] - 1)
        total += weight / sum(weights) * image[r, c]
    return total


@pytest.mark.parametrize("degrees", [-133.0, -90.0, -44.0, 0.0, 17.3, 44.0])
@pytest.mark.parametrize(("radius", "sigma"), [(6, 1.0), (20, 15.0)])
@pytest.mark.parametrize("shape", [(28, 41, 3), (33, 28, 1)])
def test_it_is_the_sum_along_a_line(radius, sigma, degrees, shape):
    image = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    result = moved(image, radius=radius, sigma=sigma, degrees=degrees)
    # 16 bits are 257 levels to one of ours: half of theirs is added before the fraction is cut.
    expected = one_by_one(image, radius, sigma, degrees) + 0.5 / 257
    # The taps left out weigh 1e-6 of 255 levels, and float32 sums near 255 round by 1e-5 a step.
    assert (result >= np.floor(expected - 1e-3)).all()
    assert (result <= np.floor(expected + 1e-3)).all()


def test_flat_areas_stay():
    levels = np.arange(256, dtype=np.uint8).reshape(256, 1, 1, 1)
    images = np.broadcast_to(levels, (256, 28, 28, 1))
    generators = [np.random.default_rng(i) for i in range(256)]
    assert np.array_equal(motion_blur(images, (20, 15), generators), images)


def test_a_grey_line_goes_where_a_coloured_one_goes():
    grey = np.random.default_rng(0).integers(0, 256, (1, 32, 32, 1), dtype=np.uint8)
    colour = np.repeat(grey, 3, axis=-1)
    results = [motion_blur(x, (9, 2.5), [np.random.default_rng(4)]) for x in (grey, colour)]
    assert np.array_equal(np.repeat(results[0], 3, axis=-1), results[1])
