"""Snow with no flakes, with nothing else, and with flakes everywhere."""

import numpy as np
import pytest

from robusteval.corruptions.snow import snow

NONE = (0.0, 0.01, 1, 0.5, 10, 4)  # brightness 50 deviations below the threshold


def test_without_flakes_the_scene_is_whitened_by_its_grey():
    images = np.zeros((1, 28, 28, 3), np.uint8)
    images[:] = (100, 50, 200)
    result = snow(images, (*NONE, 0.8), [np.random.default_rng(0)])
    white = 1.5 * (0.299 * 100 + 0.587 * 50 + 0.114 * 200) + 127.5  # 250.575, above each channel
    expected = 0.8 * images[0, 0, 0] + 0.2 * white  # 130.1, 90.1, 210.1: the fraction is cut off
    assert (result == expected.astype(np.uint8)).all()


def test_without_flakes_grey_images_are_their_own_grey():
    images = np.full((1, 28, 28, 1), 40, np.uint8)
    result = snow(images, (*NONE, 0.7), [np.random.default_rng(0)])
    assert (result == int(0.7 * 40 + 0.3 * (1.5 * 40 + 127.5))).all()  # 84.25


@pytest.mark.parametrize("factor", [1, 2.25])
@pytest.mark.parametrize("shape", [(28, 41, 3), (33, 28, 1)])
def test_flakes_are_grey_and_the_same_upside_down(factor, shape):
    images = np.zeros((1, *shape), np.uint8)
    result = snow(images, (0.1, 0.3, factor, 0.5, 10, 4, 1.0), [np.random.default_rng(0)])[0]
    assert result.any()
    assert (result == result[..., :1]).all()
    assert np.array_equal(result, result[::-1, ::-1])


def test_flakes_everywhere_are_white():
    images = np.zeros((1, 28, 28, 3), np.uint8)
    result = snow(images, (2.0, 0.01, 1, 0.5, 10, 4, 0.8), [np.random.default_rng(0)])
    assert (result == 255).all()
