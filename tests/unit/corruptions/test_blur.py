"""The fast ways of blurring against the slow ones that they replace."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, maximum_filter, minimum_filter

from robusteval.corruptions import _blur
from robusteval.corruptions._band import band, normal_band
from robusteval.corruptions._discs import disc_size, disc_sums
from robusteval.corruptions._flat import is_flat
from robusteval.corruptions._scratch import Scratch


def published(image, sigma):
    blurred = gaussian_filter(image / 255.0, (sigma, sigma, 0), mode="nearest", truncate=4.0)
    return (np.clip(blurred, 0, 1) * 255).astype(np.uint8)


def ours(image, sigma):
    return _blur.blurred(image, sigma, Scratch()).transpose(0, 2, 1)


def patched(shape=(40, 50, 3)):
    """Return an image of flat areas and of slopes, where the last bit of a sum decides."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    image = np.random.default_rng(0).integers(0, 256, (5, 5, shape[2]), dtype=np.uint8)
    image = image.repeat(8, axis=0).repeat(10, axis=1)
    image[:20, :, 0] = (2 * rows + columns)[:20]
    return image


@pytest.mark.parametrize("sigma", [0.05, 0.4, 0.7, 1, 2, 6])
def test_every_bit_that_shows_is_that_of_the_published_sum(sigma):
    noise = np.random.default_rng(1).integers(0, 256, (33, 41, 3), dtype=np.uint8)
    for image in (patched(), noise, noise[..., :1], np.full((30, 30, 3), 255, np.uint8)):
        assert np.array_equal(ours(image, sigma), published(image, sigma))


def test_all_flat_levels_are_the_published_ones():
    for level in range(256):
        image = np.full((28, 28, 1), level, np.uint8)
        assert np.array_equal(ours(image, 1.1), published(image, 1.1))


def test_few_slopes_are_worked_out_one_by_one(monkeypatch):
    image = np.random.default_rng(1).integers(0, 256, (40, 41, 1), dtype=np.uint8)
    rows, columns = np.mgrid[:12, :12]
    image[:12, :12, 0] = 3 * rows + 5 * columns
    calls = []
    whole = _blur._published
    monkeypatch.setattr(_blur, "_published", lambda x, *s: calls.append(x.shape) or whole(x, *s))
    assert np.array_equal(ours(image, 1.0), published(image, 1.0))
    # the inner 4 x 4 of 12 x 12 pixels, in squares of 9; the table of flat areas is another call
    assert [shape for shape in calls if shape != (1, 256, 1)] == [(9, 1, 9)] * 16


@pytest.mark.parametrize("reach", [0, 1, 2, 5])
@pytest.mark.parametrize("shape", [(30, 1, 41), (29, 3, 28)])
def test_an_area_is_flat_where_its_least_level_is_its_largest(reach, shape):
    planes = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8) // 250
    size = (2 * reach + 1, 1, 2 * reach + 1)
    expected = maximum_filter(planes, size) == minimum_filter(planes, size)
    assert np.array_equal(is_flat(planes, reach), expected)


@pytest.mark.parametrize("sigma", [0.3, 2.4, 20.0])
@pytest.mark.parametrize(("mode", "scipys"), [("edge", "nearest"), ("symmetric", "reflect")])
def test_a_band_filters_along_either_axis(sigma, mode, scipys):
    x = np.random.default_rng(0).random((70, 45))
    out = np.empty_like(x)
    expected = gaussian_filter(x, (sigma, 0), mode=scipys, truncate=3.0)
    normal_band(70, sigma, truncate=3.0, mode=mode).along_rows(x, out)
    assert np.abs(out - expected).max() < 1e-13  # double precision, values below 1
    normal_band(70, sigma, truncate=3.0, mode=mode).along_columns(x.T, out.T)
    assert np.abs(out - expected).max() < 1e-13


def test_a_band_may_have_more_inputs_than_outputs():
    matrix = np.triu(np.tri(40, 43, 3))  # each output the sum of four inputs
    x, out = np.random.default_rng(0).random((43, 5)), np.empty((40, 5))
    band(matrix).along_rows(x, out)
    assert np.allclose(out, x[:-3] + x[1:-2] + x[2:-1] + x[3:], rtol=1e-13)


@pytest.mark.parametrize("radius", [0.5, 1.5, 3, 6])
def test_sums_over_discs_are_sums_over_their_pixels(radius):
    x = np.random.default_rng(0).integers(0, 256, (30, 3, 40), dtype=np.uint8)
    reach = int(radius)
    sums = disc_sums(x, radius, Scratch())
    steps = np.arange(-reach, reach + 1)
    inside = steps[:, np.newaxis] ** 2 + steps**2 <= radius**2
    assert disc_size(radius) == inside.sum()
    for row, column in ((0, 0), (11, 7), (29 - 2 * reach, 39 - 2 * reach)):
        seen = x[row : row + 2 * reach + 1, :, column : column + 2 * reach + 1]
        expected = seen.transpose(0, 2, 1)[inside].sum(axis=0, dtype=int)
        assert np.array_equal(sums[row, :, column], expected)


def test_scratch_memory_grows_and_is_used_again():
    scratch = Scratch()
    small = scratch.array("x", (2, 3), np.float32)
    large = scratch.array("x", (20, 3), np.float64)
    again = scratch.array("x", (5,), np.uint8)
    assert large.shape == (20, 3) and large.dtype == np.float64
    assert not np.shares_memory(small, large) and np.shares_memory(large, again)
    assert not np.shares_memory(again, scratch.array("y", (5,), np.uint8))
