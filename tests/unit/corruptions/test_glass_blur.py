"""Glass blur against the loop that it replaces."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from robusteval.corruptions._draws import integers
from robusteval.corruptions.glass_blur import glass_blur


def overwritten_one_by_one(image, reach, times, generator):
    """Return ``image`` (H, W, C) with each inner pixel copied from one nearby, last to first."""
    image = image.copy()
    height, width = image.shape[:2]
    for _ in range(times):
        rows, columns = range(height - reach, reach, -1), range(width - reach, reach, -1)
        steps = iter(integers(generator, -reach, reach, (len(rows) * len(columns), 2)))
        for row in rows:
            for column in columns:
                across, down = next(steps)
                image[row, column] = image[row + down, column + across]
    return image


@pytest.mark.parametrize(("reach", "times"), [(1, 1), (1, 2), (4, 2)])
@pytest.mark.parametrize("shape", [(28, 41, 3), (33, 28, 1)])
def test_it_is_the_loop_over_pixels(reach, times, shape):
    images = np.random.default_rng(0).integers(0, 256, (1, *shape), dtype=np.uint8)
    # A blur of 0.1 pixels has one tap; 255 levels survive the way to the unit scale and back.
    result = glass_blur(images, (0.1, reach, times), [np.random.default_rng(8)])
    expected = overwritten_one_by_one(images[0], reach, times, np.random.default_rng(8))
    assert np.array_equal(result[0], expected)
    assert (result != images).any(axis=-1).mean() > 0.5


def test_it_is_blurred_before_and_after():
    images = np.random.default_rng(0).integers(0, 256, (1, 28, 28, 1), dtype=np.uint8)

    def blurred(image):
        return (gaussian_filter(image / 255.0, (1.1, 1.1, 0), mode="nearest") * 255).astype(
            np.uint8
        )

    result = glass_blur(images, (1.1, 2, 1), [np.random.default_rng(8)])
    moved = overwritten_one_by_one(blurred(images[0]), 2, 1, np.random.default_rng(8))
    assert np.array_equal(result[0], blurred(moved))
