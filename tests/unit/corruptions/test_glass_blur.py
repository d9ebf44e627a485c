"""Glass blur against the loop that it replaces."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from robusteval.corruptions._chains import _steps, displaced
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
    result = glass_blur(images, (0.1, reach, times), [np.random.RandomState(8)])
    expected = overwritten_one_by_one(images[0], reach, times, np.random.RandomState(8))
    assert np.array_equal(result[0], expected)
    assert (result != images).any(axis=-1).mean() > 0.5


def test_it_is_blurred_before_and_after():
    images = np.random.default_rng(0).integers(0, 256, (1, 28, 28, 1), dtype=np.uint8)

    def blurred(image):
        return (gaussian_filter(image / 255.0, (1.1, 1.1, 0), mode="nearest") * 255).astype(
            np.uint8
        )

    result = glass_blur(images, (1.1, 2, 1), [np.random.RandomState(8)])
    moved = overwritten_one_by_one(blurred(images[0]), 2, 1, np.random.RandomState(8))
    assert np.array_equal(result[0], blurred(moved))


@pytest.mark.parametrize("reach", [1, 3, 4])
@pytest.mark.parametrize("generator", [np.random.default_rng(2), np.random.RandomState(2)])
def test_all_steps_within_reach_are_equally_likely(generator, reach):
    n = 64_000
    steps = _steps(100, reach, (64, 1000), generator).ravel()
    side = 2 * reach
    counts = np.bincount(
        # rows and columns from the difference of pixel numbers, in rows of 100
        (steps + reach * 100 + reach) // 100 * side + (steps + reach) % 100,
        minlength=side * side,
    )
    assert len(counts) == side * side
    expected = n / side**2
    # 4.5 binomial deviations hold for all of at most 64 counts for 99.96% of the seeds
    assert np.abs(counts - expected).max() < 4.5 * np.sqrt(expected)


def test_the_border_keeps_its_pixels_and_sources_are_near():
    source = displaced(40, 50, 2, np.random.default_rng(0)).reshape(40, 50)
    own = np.arange(2000).reshape(40, 50)
    for border in (np.s_[:3], np.s_[39:], np.s_[:, :3], np.s_[:, 49:]):
        assert np.array_equal(source[border], own[border])
    assert (source != own)[3:39, 3:49].mean() > 0.9
