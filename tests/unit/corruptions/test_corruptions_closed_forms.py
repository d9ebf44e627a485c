"""Corruptions against values worked out by hand or by another library."""

import colorsys

import numpy as np
import pytest
from PIL import Image

from robusteval.corruptions._levels import truncated, unit
from robusteval.corruptions.brightness import brightness
from robusteval.corruptions.contrast import contrast
from robusteval.corruptions.gaussian_blur import gaussian_blur
from robusteval.corruptions.gaussian_noise import gaussian_noise
from robusteval.corruptions.jpeg_compression import jpeg_compression
from robusteval.corruptions.pixelate import pixelate
from robusteval.corruptions.shot_noise import shot_noise


def flat(level, *, side=100, channels=3):
    return np.full((1, side, side, channels), level, np.uint8)


def colours(n=4000):
    """Return colours as an image (1, n, 1, 3), with many ties between the channels."""
    source = np.random.default_rng(5)
    drawn = source.integers(0, 256, (n, 3))
    drawn[: n // 2] = drawn[: n // 2] // 51 * 51
    return drawn.astype(np.uint8)[np.newaxis, :, np.newaxis]


def test_all_levels_survive_the_way_to_the_unit_scale_and_back():
    levels = np.arange(256, dtype=np.uint8)
    assert np.array_equal(truncated(unit(levels)), levels)


def test_truncation_cuts_off_and_clips():
    x = np.array([-0.1, 0.999 / 255, 1.999 / 255, 1.7])
    assert truncated(x).tolist() == [0, 0, 1, 255]


@pytest.mark.parametrize("sd", [0.04, 0.1])
def test_gaussian_noise_has_its_mean_and_deviation(sd):
    noise = gaussian_noise(flat(128), sd, [np.random.default_rng(0)]) - 128.0
    n = noise.size  # 30,000 draws; 4 standard errors hold for 99.99% of the seeds
    assert abs(noise.mean() + 0.5) < 4 * sd * 255 / np.sqrt(n)  # -0.5: truncation
    assert noise.std() == pytest.approx(sd * 255, rel=4 / np.sqrt(2 * n))


@pytest.mark.parametrize("photons", [50, 500])
def test_shot_noise_counts_photons(photons):
    level = 102  # 0.4 of white
    x = shot_noise(flat(level), photons, [np.random.default_rng(0)]).astype(float)
    n = x.size  # as above, 4 standard errors; truncation costs between 0 and 1 level
    sd = np.sqrt(0.4 / photons) * 255
    assert -1.0 - 4 * sd / np.sqrt(n) < x.mean() - level < 4 * sd / np.sqrt(n)
    # The kurtosis of a Poisson number is 3 + 1/mean, so the error of the deviation is as for a
    # normal one within 3%; the rounding to levels adds less than half a level of deviation.
    assert abs(x.std() - sd) < 4 * sd * 1.03 / np.sqrt(2 * n) + 0.5


def test_shot_noise_has_whole_photons_only():
    x = shot_noise(flat(102), 50, [np.random.default_rng(0)])
    assert set(x.ravel().tolist()) <= {int(np.float64(k) / 50 * 255) for k in range(51)}


def test_shot_noise_leaves_black_black():
    assert not shot_noise(flat(0), 50, [np.random.default_rng(0)]).any()


def test_gaussian_blur_spreads_a_point_as_the_normal_density():
    images = np.zeros((1, 33, 33, 1), np.uint8)
    images[0, 16, 16] = 255
    sigma = 2.0
    result = gaussian_blur(images, sigma, [])[0, :, :, 0]
    steps = np.arange(-8, 9)
    kernel = np.exp(-0.5 * (steps / sigma) ** 2)
    kernel /= kernel.sum()
    expected = np.zeros((33, 33))
    expected[8:25, 8:25] = 255 * np.outer(kernel, kernel)
    # no product is a whole level, so the last bits do not decide
    assert np.array_equal(result, expected.astype(np.uint8))


def test_gaussian_blur_repeats_the_border_and_keeps_channels_apart():
    images = np.zeros((1, 28, 28, 3), np.uint8)
    images[..., 1] = 200
    result = gaussian_blur(images, 4.0, [])
    assert not result[..., [0, 2]].any()
    # A constant stays: the kernel sums to 1 within rounding, which truncation may show as 1 level.
    assert set(np.unique(result[..., 1])) <= {199, 200}


def test_contrast_scales_about_the_mean_of_each_channel():
    images = np.zeros((1, 28, 28, 3), np.uint8)
    images[:, ::2] = (201, 101, 41)  # the means are 100.5, 50.5 and 20.5
    result = contrast(images, 0.25, [])
    assert result[0, 0, 0].tolist() == [125, 63, 25]  # 125.6, 63.1, 25.6
    assert result[0, 1, 0].tolist() == [75, 37, 15]  # 75.4, 37.9, 15.4


@pytest.mark.parametrize("amount", [0.05, 0.3, 0.5])
def test_brightness_is_that_of_colorsys(amount):
    images = colours()
    result = brightness(images, amount, [])
    for before, after in zip(images[0, :, 0], result[0, :, 0], strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*(before / 255.0))
        expected = 255 * np.array(colorsys.hsv_to_rgb(hue, saturation, min(value + amount, 1.0)))
        # Both truncate the same number but for rounding: 1e-9 is far above that of a few steps.
        assert (after >= np.floor(expected - 1e-9)).all()
        assert (after <= np.floor(expected + 1e-9)).all()


def test_brightness_of_grey_is_a_sum():
    levels = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
    expected = (np.clip(levels / 255.0 + 0.3, 0, 1) * 255).astype(np.uint8)
    assert np.array_equal(brightness(levels, 0.3, []), expected)
    as_colour = np.repeat(levels, 3, axis=-1)
    assert np.array_equal(brightness(as_colour, 0.3, []), np.repeat(expected, 3, axis=-1))


def test_pixelate_by_half_averages_blocks_of_two():
    images = np.zeros((1, 28, 32, 1), np.uint8)
    images[:, ::2, ::2] = 200
    assert (pixelate(images, 0.5, []) == 50).all()


def test_pixelate_cuts_each_side_to_whole_pixels():
    images = np.random.default_rng(0).integers(0, 256, (1, 28, 41, 3), dtype=np.uint8)
    result = pixelate(images, 0.3, [])  # 8.4 rows, 12.3 columns
    picture = Image.fromarray(images[0]).resize((12, 8), Image.Resampling.BOX)
    expected = np.asarray(picture.resize((41, 28), Image.Resampling.BOX))
    assert np.array_equal(result[0], expected)


@pytest.mark.parametrize("scale", [0.95, 0.6, 0.5, 0.3, 0.25])
def test_pixelate_enlarges_by_box_whatever_the_sides(scale):
    # Where the centre of a pixel falls between two, which odd sides bring about, Pillow's "nearest"
    # and "box" choose differently.
    for side in range(28, 132):
        images = np.random.default_rng(side).integers(0, 256, (1, 28, side, 1), dtype=np.uint8)
        small = Image.fromarray(images[0, ..., 0]).resize(
            (int(side * scale), int(28 * scale)), Image.Resampling.BOX
        )
        expected = np.asarray(small.resize((side, 28), Image.Resampling.BOX))
        assert np.array_equal(pixelate(images, scale, [])[0, ..., 0], expected)


@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (3, "RGB")])
def test_jpeg_is_that_of_a_file_with_the_sampling_spelled_out(channels, mode, tmp_path):
    source = np.random.default_rng(0)
    images = source.integers(0, 256, (1, 30, 41, channels), dtype=np.uint8)
    Image.frombytes(mode, (41, 30), images.tobytes()).save(
        tmp_path / "image.jpg", quality=40, subsampling="4:2:0"
    )
    with Image.open(tmp_path / "image.jpg") as picture:
        expected = np.asarray(picture).reshape(images.shape)
    assert np.array_equal(jpeg_compression(images, 40, []), expected)
