"""Elastic transform: its steps against another library, and moves known beforehand."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, map_coordinates

from robusteval.corruptions import _affine, _displace
from robusteval.corruptions._scratch import Scratch
from robusteval.corruptions.elastic_transform import elastic_transform, smoothed

POINTS = np.array([[20, 20], [20, 8], [8, 8]], np.float32)


def of_planes(function, x, *arguments):
    """Return what ``function`` of images (H, W, C) makes of planes (C, H, W), as planes."""
    result = function(np.moveaxis(x, 0, -1), *arguments)
    return np.moveaxis(result, -1, 0)


def warped(x, before, after):
    return of_planes(_affine.warped, x, before, after)


def displaced(x, down, across):
    return of_planes(_displace.displaced, x, down, across)


def planes(shape=(3, 30, 41)):
    return np.random.default_rng(0).random(shape, dtype=np.float32)


def test_points_that_stay_leave_the_image():
    images = np.random.default_rng(0).integers(0, 256, (2, 28, 41, 3), dtype=np.uint8)
    generators = [np.random.default_rng(i) for i in range(2)]
    result = elastic_transform(images, (0, 0, 0.0), generators)
    # of the levels on the float32 unit scale some come back one lower: the fraction is cut off
    assert set(np.unique(images - result)) <= {0, 1}


def test_points_moved_by_whole_pixels_move_the_image_and_mirror_the_border():
    x = planes()
    moved = warped(x, POINTS, POINTS + np.array([3, -2], np.float32))  # right, up
    assert np.array_equal(moved[:, :-2, 3:], x[:, 2:, :-3])
    assert np.array_equal(moved[:, :-2, :3], x[:, 2:, 3:0:-1])


def test_a_warp_reads_where_the_inverse_map_says():
    rows, columns = np.mgrid[:30, :41].astype(np.float32)
    x = np.stack([rows, columns])  # linear, so that reading between pixels gives the position
    after = POINTS + np.array([[1.5, -2.0], [0.7, 1.1], [-1.0, 0.4]], np.float32)
    moved = warped(x, POINTS, after)
    matrix = np.linalg.solve(np.column_stack([after, np.ones(3)]), POINTS)
    expected = np.stack([columns, rows, np.ones_like(rows)], axis=-1) @ matrix
    inside = (expected > 1).all(axis=-1) & (expected[..., 0] < 39) & (expected[..., 1] < 28)
    assert inside.mean() > 0.5
    # Positions are rounded to 1/32 pixel, so 1/64 at most, and their two parts to 1/1024 before.
    tolerance = 1 / 64 + 2 / 2048 + 1e-5
    assert np.abs(moved[0] - expected[..., 1])[inside].max() <= tolerance
    assert np.abs(moved[1] - expected[..., 0])[inside].max() <= tolerance


def test_pixels_are_read_between_their_neighbours():
    x = planes()
    source = np.random.default_rng(1)
    down, across = source.uniform(-4, 4, (2, 30, 41)).astype(np.float32)
    rows, columns = np.mgrid[:30, :41] + np.stack([down, across]).astype(float)
    inside = (rows >= 0) & (rows <= 29) & (columns >= 0) & (columns <= 40)
    assert inside.mean() > 0.5
    for plane, moved in zip(x, displaced(x, down, across), strict=True):
        expected = map_coordinates(plane, [rows, columns], order=1)
        # one rounding to float32 of numbers up to 1
        assert np.abs(moved - expected)[inside].max() < 1e-7


@pytest.mark.parametrize(
    ("position", "neighbours"),
    [
        (-0.25, ((0, 0.25), (1, 0.75))),  # mirrored to -0.75, the neighbour at -1 being 1
        (-2.25, ((1, 0.75), (2, 0.25))),  # mirrored about -0.5 to 1.25
        (29.25, ((29, 0.75), (28, 0.25))),  # below 29.5 kept, the neighbour at 30 being 28
        (31.0, ((28, 1.0),)),  # mirrored about 29.5
        (-31.0, ((29, 1.0),)),  # mirrored to 30, and once more
    ],
)
def test_positions_outside_are_mirrored_as_in_the_published_outputs(position, neighbours):
    x = planes((1, 30, 30))
    down = np.zeros((30, 30), np.float32)
    down[0] = position
    moved = displaced(x, down, np.zeros_like(down))
    expected = sum(weight * x[0, row] for row, weight in neighbours)
    assert np.abs(moved[0, 0] - expected).max() < 1e-6  # float32


@pytest.mark.parametrize("sigma", [0.96, 6.4, 170.8])
def test_noise_is_smoothed_as_by_a_kernel(sigma):
    noise = np.random.default_rng(0).uniform(-1, 1, (2, 30, 41))
    smooth = smoothed(noise.copy(), sigma, Scratch())
    for ours, before in zip(smooth, noise, strict=True):
        expected = gaussian_filter(before, sigma, mode="reflect", truncate=3)
        assert np.abs(ours - expected).max() < 1e-12  # double precision, values below 1
