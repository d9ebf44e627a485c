"""Zoom blur against another library's enlargement."""

import math

import numpy as np
import pytest
from scipy.ndimage import zoom

from robusteval.corruptions._zoom import centre_taps
from robusteval.corruptions.zoom_blur import zoom_blur


def enlarged_centre(image, factor):
    """Return ``image`` (H, W, C) by the published steps: cut out, enlarge, cut to size."""
    sides = image.shape[:2]
    centres = [math.ceil(side / factor) for side in sides]
    tops = [(side - centre) // 2 for side, centre in zip(sides, centres, strict=True)]
    cut = image[tops[0] : tops[0] + centres[0], tops[1] : tops[1] + centres[1]]
    large = zoom(cut, (factor, factor, 1), order=1)
    tops = [(large.shape[axis] - sides[axis]) // 2 for axis in (0, 1)]
    return large[tops[0] : tops[0] + sides[0], tops[1] : tops[1] + sides[1]]


@pytest.mark.parametrize("factors", [(1.0, 1.05, 1.11), (1.25,)])
@pytest.mark.parametrize("shape", [(28, 41, 3), (32, 32, 1), (64, 64, 3)])
def test_it_is_the_mean_of_enlarged_centres(factors, shape):
    images = np.random.default_rng(0).integers(0, 256, (2, *shape), dtype=np.uint8)
    result = zoom_blur(images, factors, [])
    for image, ours in zip(images / 255.0, result, strict=True):
        parts = [image, *(enlarged_centre(image, factor) for factor in factors)]
        expected = 255 * np.mean(parts, axis=0)
        # float32: three sums and products near 1 round by 1e-7 each; 1e-3 levels is ten times that
        assert (ours >= np.floor(expected - 1e-3)).all()
        assert (ours <= np.floor(expected + 1e-3)).all()


def test_flat_areas_of_white_stay():
    images = np.full((1, 32, 32, 3), 255, np.uint8)
    assert np.array_equal(zoom_blur(images, (1.0, 1.03, 1.3), []), images)


@pytest.mark.parametrize("factor", [1.0, 1.01, 1.3, 2.25, 4.5])
@pytest.mark.parametrize("side", [28, 33, 224])
def test_sources_lie_within_the_image_and_in_order(side, factor):
    low, share = centre_taps(side, factor)
    assert low.min() >= 0
    assert low.max() + 1 <= side - 1
    # the outermost position may be above its pixel by the rounding of one product
    assert share.min() >= 0
    assert share.max() <= 1 + 1e-12
    assert (np.diff(low + share) > 0).all()
