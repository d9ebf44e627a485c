"""The unrecognisable images: what holds for all of them, and what each recipe keeps."""

import numpy as np
import pytest
from scipy.stats import chi2

from robusteval.images.unrecognisable._rounding import rounded
from robusteval.images.unrecognisable.blobs import blobs, sigma
from robusteval.images.unrecognisable.permuted_pixels import permuted_pixels
from robusteval.images.unrecognisable.phase_scrambled import (
    noise_phase,
    phase_added,
    phase_scrambled,
)
from robusteval.images.unrecognisable.uniform_noise import uniform_noise
from robusteval.plugins import load, names
from robusteval.seeds import generator

ALL = names("images.unrecognisable")
SHAPES = [(28, 28, 1), (32, 32, 3), (30, 41, 3)]
N = 4


def pictures(shape, n=N):
    return np.random.default_rng(3).integers(0, 256, (n, *shape), dtype=np.uint8)


def generators(ids):
    return [generator(0, "unknown", i) for i in ids]


def draw(images, name, ids=range(N)):
    return load("images.unrecognisable", name)(images, generators(ids))


def test_the_four_recipes_are_there():
    assert set(ALL) >= {"blobs", "permuted_pixels", "phase_scrambled", "uniform_noise"}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ALL)
def test_contract(name, shape):
    images = pictures(shape)
    before = images.copy()
    images.flags.writeable = False
    together = draw(images, name)
    assert together.shape == images.shape
    assert together.dtype == np.uint8
    assert np.array_equal(draw(images, name), together)
    assert np.array_equal(images, before)
    order = [2, 0, 3, 1]
    assert np.array_equal(draw(images[order], name, order), together[order])
    for i in range(N):
        assert np.array_equal(draw(images[i : i + 1], name, [i])[0], together[i])
    assert not np.array_equal(draw(images[:1], name, [9])[0], together[0])
    same = np.repeat(images[:1], 2, axis=0)
    first, second = draw(same, name, [0, 1])
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", ALL)
def test_a_missing_generator_is_an_error(name):
    with pytest.raises(ValueError, match="shorter"):
        draw(pictures((28, 28, 1)), name, range(N - 1))


@pytest.mark.parametrize("name", ["blobs", "uniform_noise"])
def test_only_the_shape_of_the_images_matters(name):
    images = pictures((32, 32, 3))
    assert np.array_equal(draw(images, name), draw(255 - images, name))


def test_rounding_is_half_to_even_and_clips():
    assert rounded(np.array([-1.0, 0.5, 1.5, 2.5, 2.51, 300.0]) / 255).tolist() == [
        *(0, 0, 2, 2, 3, 255)
    ]


def test_uniform_noise_has_all_levels_equally_often():
    noise = uniform_noise(np.empty((16, 64, 64, 3), np.uint8), generators(range(16)))
    counts = np.bincount(noise.ravel(), minlength=256)
    expected = noise.size / 256  # 768
    statistic = ((counts - expected) ** 2 / expected).sum()
    # two-sided at 0.1% each: a fixed seed, so this passes or fails for good
    assert chi2.ppf(0.001, 255) < statistic < chi2.ppf(0.999, 255)


def test_uniform_noise_has_independent_neighbours_and_channels():
    x = uniform_noise(np.empty((1, 64, 64, 3), np.uint8), generators([0]))[0].astype(float)
    x -= x.mean()
    pairs = [(x[1:], x[:-1]), (x[:, 1:], x[:, :-1]), (x[..., 1:], x[..., :-1])]
    for a, b in pairs:  # 4 standard errors of a correlation of 0
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 4 / np.sqrt(a.size)


@pytest.mark.parametrize(
    ("side", "expected"), [(28, 1.5), (32, 1.5), (48, 1.75), (64, 2.0), (224, 2.0)]
)
def test_blur_of_blobs_by_side(side, expected):
    assert sigma(side) == expected


@pytest.mark.parametrize("shape", [(28, 28, 1), (32, 32, 3), (64, 64, 3), (224, 224, 3)])
def test_blobs_are_black_or_above_the_threshold(shape):
    spots = blobs(np.empty((8, *shape), np.uint8), generators(range(8)))
    values = spots[spots > 0]
    assert values.min() >= 191  # 0.75 * 255 = 191.25
    # Neither empty nor full: over 100 images a shape, the share of an image was 9 to 49%, on
    # average 32% in grey (no channels to blur over), 21, 13 and 11% in colour.
    shares = (spots > 0).mean(axis=(1, 2, 3))
    assert shares.min() > 0.03
    assert shares.max() < 0.6


def test_blobs_are_the_published_recipe():
    shape = (32, 32, 3)
    on = (generator("b").random(shape) < 0.7).astype(float)
    steps = np.arange(-6, 7)  # 4 sigma
    kernel = np.exp(-0.5 * (steps / 1.5) ** 2)
    kernel /= kernel.sum()
    for axis in range(3):  # the channels too
        padded = np.pad(on, [(6, 6) if a == axis else (0, 0) for a in range(3)], mode="edge")
        on = np.apply_along_axis(np.convolve, axis, padded, kernel, mode="valid")
    expected = np.where(on < 0.75, 0.0, on)
    result = blobs(np.empty((1, *shape), np.uint8), [generator("b")])[0] / 255.0
    # half a level of rounding; the sums differ in their last bits only
    assert np.abs(result - expected).max() <= 0.5 / 255 + 1e-12


@pytest.mark.parametrize("shape", SHAPES)
def test_permuted_pixels_are_the_same_pixels(shape):
    images = pictures(shape)
    permuted = permuted_pixels(images, generators(range(N)))
    for before, after in zip(images, permuted, strict=True):
        pixels = [sorted(map(tuple, x.reshape(-1, shape[2]).tolist())) for x in (before, after)]
        assert pixels[0] == pixels[1]
        # A random permutation leaves one pixel in place on average; and equal ones look so.
        assert (before != after).any(axis=-1).mean() > 0.9


@pytest.mark.parametrize("shape", [*SHAPES, (29, 31, 3)])
def test_phases_keep_amplitudes_and_mean_before_clipping(shape):
    x = pictures(shape, n=1)[0] / 255.0
    scrambled = phase_added(x, noise_phase(*shape[:2], generator("p")))
    # Rounding of two transforms of about 1,000 values up to 1: 1e-12 is several times above it,
    # while a field without the symmetry leaves an imaginary part of the order of the image.
    assert np.abs(scrambled.imag).max() < 1e-12
    assert scrambled.real.mean(axis=(0, 1)) == pytest.approx(x.mean(axis=(0, 1)), abs=1e-12)
    amplitudes = [np.abs(np.fft.fft2(y, axes=(0, 1))) for y in (x, scrambled.real)]
    # sums over 1,000 values: 1e-10 for what is 1e-12 a value
    assert np.abs(amplitudes[0] - amplitudes[1]).max() < 1e-10
    assert np.abs(scrambled.real - x).max() > 0.1


def test_the_phase_field_is_shared_by_the_channels():
    x = pictures((32, 32, 3), n=1)[0] / 255.0
    phase = noise_phase(32, 32, generator("p"))
    spectra = [np.fft.fft2(y, axes=(0, 1)) for y in (x, phase_added(x, phase).real)]
    turns = spectra[1] / spectra[0]
    # amplitudes here are above 1e-2, errors below 1e-12
    assert np.abs(np.abs(spectra[0])).min() > 1e-2
    assert np.abs(turns - turns[:, :, :1]).max() < 1e-9
    assert np.abs(turns[:, :, 0] - np.exp(1j * phase)).max() < 1e-9


def test_phases_are_uniform_on_the_circle():
    phase = noise_phase(64, 64, generator("p"))
    assert phase[0, 0] == 0.0
    # half of the 4,096 phases are free; 4 standard errors of a mean of unit vectors
    assert abs(np.exp(1j * phase).mean()) < 4 / np.sqrt(2048)


def test_a_flat_image_stays_flat_under_phases():
    images = np.full((1, 32, 32, 3), 77, np.uint8)
    assert np.array_equal(phase_scrambled(images, generators([0])), images)
