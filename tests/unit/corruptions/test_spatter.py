"""Spatter: its steps on pictures whose result is known, and drops as a whole."""

import numpy as np
import pytest
from scipy.ndimage import distance_transform_cdt

from robusteval.corruptions._canny import canny
from robusteval.corruptions._chamfer import chamfer_distances
from robusteval.corruptions._water import _embossed, _equalised, water
from robusteval.corruptions.spatter import spatter

WATER = (0.65, 0.3, 2, 0.68, 0.5, 0)
MUD = (0.65, 0.3, 1, 0.65, 1.5, 1)


def relaxed(marked, limit):
    """Return chamfer distances (H, W) by trying every step from everywhere until none helps."""
    lengths = {(0, 1): 1.0, (1, 1): 1.4, (1, 2): 2.1969}
    distance = np.where(marked, 0.0, float(limit))
    height, width = marked.shape
    while True:
        before = distance.copy()
        for row in range(-2, 3):
            for column in range(-2, 3):
                length = lengths.get(tuple(sorted((abs(row), abs(column)))))
                if length:
                    bordered = np.pad(distance, 2, constant_values=limit) + length
                    moved = bordered[2 + row : 2 + row + height, 2 + column : 2 + column + width]
                    distance = np.minimum(distance, moved)
        if np.array_equal(before, distance):
            return distance


def test_one_image_has_the_edge_of_a_step_and_the_other_none():
    images = np.zeros((2, 28, 30), np.uint8)
    images[0, :, 15:] = 100
    edges = canny(images, 50, 150)
    # Of the two columns with the same gradient the first is kept: it must be above the left one
    # and may equal the right one.
    assert edges[0, :, 14].all()
    assert edges.sum() == 28


@pytest.mark.parametrize(("step", "found"), [(12, 0), (20, 0), (38, 28)])
def test_an_edge_needs_the_higher_threshold_somewhere(step, found):
    images = np.zeros((1, 28, 30), np.uint8)
    images[:, :, 15:] = step  # the gradient is 4 steps: below 50, between, above 150
    assert canny(images, 50, 150).sum() == found


def test_a_weak_edge_lives_on_a_strong_one_that_it_touches():
    images = np.zeros((1, 28, 30), np.uint8)
    images[:, :14, 15:] = 20
    images[:, 14:, 15:] = 100
    assert canny(images, 50, 150)[0, 2:12, 14].all()


@pytest.mark.parametrize("share", [0.002, 0.05])
def test_distances_are_those_of_the_shortest_way(share):
    marked = np.random.default_rng(3).random((3, 40, 51)) < share
    marked[2] = False
    distances = chamfer_distances(marked, 20)
    for image, result in zip(marked, distances, strict=True):
        # float32: sums of at most 20 steps below 20 round by 2e-6 each
        assert np.abs(result - relaxed(image, 20)).max() < 4e-5
    assert (distances[2] == 20).all()
    # A second library: no way is shorter than the longer side of the rectangle it crosses.
    assert (distances[0] >= distance_transform_cdt(~marked[0], "chessboard").clip(0, 20)).all()


def test_levels_are_spread_from_0_to_255():
    images = np.array([[[3, 3], [7, 9]], [[5, 5], [5, 5]]], np.uint8)
    # After the lowest level, one and then both of the two other pixels: 255 / 2 is rounded to even.
    assert _equalised(images).tolist() == [[[0, 0], [128, 255]], [[5, 5], [5, 5]]]


def test_relief_is_the_sum_over_its_kernel():
    images = np.random.default_rng(0).integers(0, 60, (1, 28, 28), dtype=np.uint8)
    kernel = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
    expected = (kernel * images[0, 9:12, 9:12].astype(int)).sum()
    assert _embossed(images)[0, 10, 10] == np.clip(expected, 0, 255)


def test_water_has_its_strength_at_most_and_none_without_noise():
    noise = np.zeros((2, 40, 40))
    noise[0, 10:20, 10:25] = 0.7
    result = water(noise, np.float32(0.6))
    assert result[0].max() == np.float32(0.6)
    assert not result[0][noise[0] == 0].any()
    assert not result[1].any()


@pytest.mark.parametrize("shape", [(28, 41, 3), (33, 28, 1)])
def test_water_only_brightens(shape):
    images = np.random.default_rng(0).integers(0, 256, (1, *shape), dtype=np.uint8)
    result = spatter(images, WATER, [np.random.default_rng(1)])
    # of the levels on the float32 unit scale some come back one lower: the fraction is cut off
    assert (result.astype(int) >= images.astype(int) - 1).all()
    assert (result > images).mean() > 0.05


@pytest.mark.parametrize(("channels", "colour"), [(3, (63, 42, 20)), (1, (63,))])
def test_thick_mud_has_its_colour(channels, colour):
    images = np.full((1, 64, 64, channels), 200, np.uint8)
    # a threshold far below the noise: mud everywhere
    result = spatter(images, (0.65, 0.1, 1, 0.01, 1.5, 1), [np.random.default_rng(0)])
    # truncated float32: one level lower where rounding fell below
    assert np.abs(result.astype(int) - colour).max() <= 1


@pytest.mark.parametrize("constant", [WATER, MUD])
def test_without_drops_the_image_stays(constant):
    images = np.random.default_rng(0).integers(0, 256, (1, 28, 28, 3), dtype=np.uint8)
    dry = (*constant[:3], 9.0, *constant[4:])  # a threshold that no noise reaches
    result = spatter(images, dry, [np.random.default_rng(0)])
    assert set(np.unique(images - result)) <= {0, 1}  # the truncation of float32, as above
