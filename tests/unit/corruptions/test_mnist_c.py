"""The corruptions that MNIST-C alone has, or has in another way, on pictures worked out by hand."""

import math
from itertools import pairwise

import numpy as np
import pytest

from robusteval.corruptions._levels import rounded
from robusteval.corruptions._lines import draw_line
from robusteval.corruptions._warp import warped
from robusteval.corruptions.brightness import brightness, brightness_mnist_c
from robusteval.corruptions.canny_edges import canny_edges
from robusteval.corruptions.dotted_line import dotted_line
from robusteval.corruptions.glass_blur import glass_blur_mnist_c
from robusteval.corruptions.rotate import rotate
from robusteval.corruptions.scale import scale
from robusteval.corruptions.shear import shear
from robusteval.corruptions.stripe import stripe
from robusteval.corruptions.translate import translate
from robusteval.corruptions.zigzag import corners, zigzag


def noise(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def sources(n):
    return [np.random.default_rng(i) for i in range(n)]


def same(image, n):
    return np.repeat(image, n, axis=0)


def test_halves_go_to_the_even_level_whatever_the_last_bits_are():
    halves = np.arange(0.5, 255) / 255.0
    for x in (halves, np.nextafter(halves, 0), np.nextafter(halves, 1)):
        assert np.array_equal(rounded(x.copy()), 2 * ((np.arange(255) + 1) // 2))
    assert rounded(np.array([-0.1, 0.502 / 255, 1.1])).tolist() == [0, 1, 255]


@pytest.mark.parametrize("channels", [1, 3])
def test_brightness_is_that_of_the_other_families_but_rounded(channels):
    images = noise(1, 28, 28, channels)
    truncated = brightness(images, 0.3, [])
    result = brightness_mnist_c(images, 0.3, [])
    assert set(np.unique(result - truncated)) == {0, 1}


@pytest.mark.parametrize("shape", [(28, 28, 1), (31, 31, 3)])
def test_a_quarter_turn_moves_every_pixel_to_a_place_of_its_own(shape):
    images = noise(1, *shape)
    result = rotate(same(images, 8), math.pi / 2, sources(8))
    ways = {tuple(np.array_equal(x, np.rot90(images[0], k)) for k in (1, 3)) for x in result}
    assert ways == {(True, False), (False, True)}


def test_a_turn_brings_black_into_the_corners():
    result = rotate(np.full((1, 28, 40, 1), 200, np.uint8), 0.4, sources(1))[0, :, :, 0]
    assert not result[[0, 0, -1, -1], [0, -1, 0, -1]].any()
    assert (result[10:18, 10:30] == 200).all()


def test_half_the_scale_keeps_half_of_each_side():
    # At 29 pixels the middle is one: every second pixel is kept as it is.
    images = noise(1, 29, 31, 3)
    result = scale(images, 0.5, [])
    expected = np.zeros_like(images)
    expected[:, 7:22, 8:23] = images[:, ::2, 1::2]
    assert np.array_equal(result, expected)


def test_shear_slides_and_shortens_columns_about_the_middle():
    images = np.zeros((1, 29, 29, 1), np.uint8)
    images[:, :, 14] = 255  # an upright line
    result = shear(same(images, 8), 0.4, sources(8))[..., 0].astype(float)
    columns = (result * np.arange(29)).sum(axis=2) / result.sum(axis=2)
    leaning = {-1: 0, 1: 0}
    for line in columns:
        # Row i reads, at a column's distance y from the middle, y sin(angle) to the left or right;
        # two pixels share a value in steps of 1 / 255, so centres are right within 1 / 100.
        slope = (line[28] - line[0]) / 28
        sign = round(slope / math.sin(0.4))
        expected = 14 + sign * math.sin(0.4) * (np.arange(29) - 14)
        assert np.abs(line - expected).max() < 0.01
        leaning[sign] += 1
    assert min(leaning.values()) > 0


def test_shear_reads_rows_by_the_cosine():
    images = np.zeros((1, 29, 29, 1), np.uint8)
    images[:] = np.arange(29)[:, np.newaxis, np.newaxis] * 8
    result = shear(images, 0.4, sources(1))[0, :, 14, 0]
    expected = 8 * (14 + math.cos(0.4) * (np.arange(29) - 14))
    assert np.abs(result - expected).max() <= 0.5  # rounding


def test_translate_moves_into_each_of_the_four_corners():
    images = noise(1, 28, 33, 3)
    moves = set()
    for result in translate(same(images, 30), 3, sources(30)):
        for down in (-3, 3):
            for across in (-3, 3):
                moved = np.roll(images[0], (down, across), axis=(0, 1))
                moved[:3] = moved[:3] if down < 0 else 0
                moved[-3:] = moved[-3:] if down > 0 else 0
                moved[:, :3] = moved[:, :3] if across < 0 else 0
                moved[:, -3:] = moved[:, -3:] if across > 0 else 0
                if np.array_equal(result, moved):
                    moves.add((down, across))
    assert moves == {(-3, -3), (-3, 3), (3, -3), (3, 3)}


def test_outside_is_black_and_takes_part():
    images = np.full((1, 28, 28, 1), 255, np.uint8)
    moved = warped(images, ((1.0 + 1 / 27, 0.0), (0.0, 1.0)))[0, 0, :, 0]
    # The outermost pixels read half a pixel beyond the outermost ones.
    assert moved[[0, 27]] == pytest.approx(0.5)
    assert moved[1:-1] == pytest.approx(1.0)


@pytest.mark.parametrize(("width", "wide"), [(28, 7), (41, 10)])
def test_stripes_are_a_quarter_of_the_width(width, wide):
    images = noise(2, 28, width, 3)
    result = stripe(images, 0.25, [])
    inverted = (result == 255 - images).all(axis=(0, 1, 3))
    assert inverted.nonzero()[0].tolist() == [*range(wide), *range(width - wide, width)]
    assert np.array_equal(result[:, :, ~inverted], images[:, :, ~inverted])


def test_a_line_falls_with_the_logarithm_of_the_vertical_distance():
    x = np.zeros((9, 8, 1))
    draw_line(x, (1.5, 3.0), (5.5, 5.0), reach=2.3)
    assert not x[:, [0, 6, 7]].any()
    middle = 3.0 + 0.5 * (np.arange(8) - 1.5)
    for column in range(1, 6):
        for row in range(9):
            distance = abs(row - middle[column])
            light = 1 + math.log(1 - distance / 2.3) if distance < 2.3 else 0
            # Products of rounded numbers: far more than their last bits.
            assert x[row, column, 0] == pytest.approx(max(0.0, light), abs=1e-12)


def test_lines_add_up_to_white_at_most():
    x = np.full((9, 8, 3), 0.25)
    draw_line(x, (0, 4), (8, 4), reach=2.3)
    assert (x[4] == 1.0).all()
    assert (x[0] == 0.25).all()


def test_dots_and_gaps_take_turns_and_begin_with_a_gap():
    results = dotted_line(np.zeros((200, 30, 41, 1), np.uint8), (2.3, 2), sources(200))[..., 0]
    lit = results.any(axis=(0, 1))
    assert lit.tolist() == [column % 4 >= 2 for column in range(40)] + [False]
    starts = results[:, :, 2].argmax(axis=1)
    # From row 0 to the last but one; that one of 29 never is drawn has a chance of 3%, that two
    # neighbours never are 0.01%; the line is there two columns after it started.
    assert starts.min() <= 2 and 26 <= starts.max() <= 28
    assert set(results.max(axis=(1, 2))) <= set(range(200, 256))


def test_dots_leave_the_rest_of_the_image():
    images = noise(1, 28, 28, 3)
    changed = dotted_line(images, (2.3, 2), sources(1)) != images
    assert 0 < changed.any(axis=-1).mean() < 0.15
    assert not changed[:, :, [0, 1, 4, 5, 27]].any()


def test_corners_of_a_zigzag_line():
    # What is left after four periods of 4 is 3, and the published end of it is at row 2 / (2 x 3).
    assert corners(19, 2, 2) == [
        (0, 0),
        (2, 2),
        (6, -2),
        (10, 2),
        (14, -2),
        (18, 2),
        (19, 2 / 6),
    ]
    assert corners(8, 2, 3) == [(0, 0), (2, 3), (6, -3)]


def test_a_zigzag_line_leaves_two_columns_and_stays_near_its_rows():
    results = zigzag(np.zeros((200, 40, 40, 1), np.uint8), (2.3, 2, 2, 5), sources(200))[..., 0]
    lit = results.any(axis=(0, 1)).nonzero()[0]
    # The turn of at most atan(5 / 35) moves the corners by 2 x 5 / 35 < 1 pixel along the columns.
    assert lit[0] in (1, 2) and lit[-1] in (36, 37)
    weights = results.astype(float).sum(axis=2)
    for rows in weights:
        seen = rows.nonzero()[0]
        # Up to 5 of rise, and 2 + 2 on both sides.
        assert np.ptp(seen) <= 5 + 8 + 1
    assert len(set(results.argmax(axis=1)[:, 2])) > 20


@pytest.mark.parametrize("width", [31, 35, 39])
def test_a_zigzag_line_may_end_at_a_corner(width):
    # At these widths a level line ends in the column of its last corner, and nothing comes after.
    images = np.zeros((40, 28, width, 1), np.uint8)
    lit = zigzag(images, (2.3, 2, 2, 5), sources(40)).any(axis=(1, 3))
    assert lit[:, 2].all() and not lit[:, -2:].any()


def swapped_one_by_one(image, times, source):
    """Return ``image`` (H, W, C) as the published loop leaves it, with its draws."""
    image = image.copy()
    height, width = image.shape[:2]
    for _ in range(times):
        for row in range(height - 1, 1, -1):
            for column in range(width - 1, 1, -1):
                if source.choice([True, False]):
                    across, down = source.randint(-1, 1, size=(2,))
                    other = (row + down, column + across)
                    image[row, column], image[other] = (
                        image[other].copy(),
                        image[row, column].copy(),
                    )
    return image


@pytest.mark.parametrize("shape", [(28, 41, 3), (33, 28, 1)])
def test_glass_blur_swaps_pixels_as_the_loop_over_them_does(shape):
    images = noise(2, *shape)
    # A blur of 0.1 pixels has one tap; 255 levels survive the way to the unit scale and back.
    result = glass_blur_mnist_c(images, (0.1, 2), [np.random.RandomState(i) for i in range(2)])
    for i in range(2):
        expected = swapped_one_by_one(images[i], 2, np.random.RandomState(i))
        assert np.array_equal(result[i], expected)
    colours = [np.sort(x.reshape(2, -1, shape[2]), axis=1) for x in (images, result)]
    assert np.array_equal(*colours)


def test_glass_blur_blurs_along_columns_only():
    images = np.zeros((1, 28, 28, 1), np.uint8)
    images[:, :, 10:12] = 255  # two upright lines: a blur along them changes nothing but rounding
    plain = glass_blur_mnist_c(images, (2.0, 0), sources(1))[0, :, :, 0]
    assert set(np.unique(plain[:, 10:12])) <= {254, 255}
    assert not np.delete(plain, [10, 11], axis=1).any()
    level = glass_blur_mnist_c(images.swapaxes(1, 2), (2.0, 0), sources(1))[0, :, :, 0]
    assert 0 < level[14, 5] < level[12, 5] < 128


def step(heights, *colour):
    """Return an image (1, 28, 30, C) that rises from 0 to ``heights`` at column 15, by halves.

    Its gradient there is the largest of the row. Under a kernel of sigma 1 the columns beside
    differ by 0.62 of the height, and Sobel's sum counts that four times: 2.5 heights.
    """
    images = np.zeros((1, 28, 30, max(1, len(colour))))
    heights = np.broadcast_to(heights, 28)[:, np.newaxis] * np.array(colour or (1.0,))
    images[0, :, 15] = heights / 2
    images[0, :, 16:] = heights[:, np.newaxis]
    return images.round().astype(np.uint8)


def test_edges_lie_where_the_gradient_is_largest_and_not_at_the_border():
    result = canny_edges(step(100), (1, 0.1, 0.2), [])[0, :, :, 0]
    assert (result[1:-1, 15] == 255).all()
    assert np.count_nonzero(result) == 26


@pytest.mark.parametrize(("height", "found"), [(6, False), (16, False), (18, False), (24, True)])
def test_an_edge_needs_the_higher_gradient_somewhere(height, found):
    # 0.06, 0.16, 0.18 and 0.24 on the scale of 0 to 1
    assert canny_edges(step(height), (1, 0.1, 0.2), []).any() == found


def test_a_weak_edge_lives_on_a_strong_one_that_it_touches():
    rising = np.r_[np.full(14, 16), np.arange(16, 100, 6)]
    result = canny_edges(step(rising), (1, 0.1, 0.2), [])[0, :, :, 0]
    assert (result[1:-1, 15] == 255).all()
    below = np.r_[np.full(14, 6), np.arange(6, 90, 6)]  # 0.06: less than the lower threshold
    assert not canny_edges(step(below), (1, 0.1, 0.2), [])[0, :12].any()


def test_edges_of_colours_are_those_of_their_luma():
    images = np.concatenate([step(200, 1, 0, 0), step(200, 0, 0, 1)])  # luma 59.8 and 22.8
    result = canny_edges(images, (1, 0.3, 0.5), [])
    assert result[0, 1:-1, 15].all() and not result[1].any()
    assert all(np.array_equal(a, b) for a, b in pairwise(np.moveaxis(result, -1, 0)))
