"""Perturbations that keep every pixel where it is."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from robusteval.corruptions._motion import moved
from robusteval.corruptions.spatter import spatter as spattered
from robusteval.perturbations import _sequences
from robusteval.perturbations._apply import perturb
from robusteval.perturbations._sequences import constants
from robusteval.perturbations.spatter import _dripped
from robusteval.seeds import generator

IMAGE = np.random.default_rng(3).integers(256, size=(1, 32, 36, 3), dtype=np.uint8)
FAMILIES = ("imagenet_p", "cifar10_p")


def frames_of(kind, family, image=IMAGE):
    return perturb(image, kind, [generator(1)], family=family)[0]


@pytest.mark.parametrize(
    ("family", "radius", "sigma", "first", "step"),
    [("imagenet_p", 10, 3, -120, 4), ("cifar10_p", 6, 1.8, -180, 9)],
)
def test_motion_blur_turns_to_level(family, radius, sigma, first, step):
    for t, frame in enumerate(frames_of("motion_blur", family)):
        expected = moved(IMAGE[0], radius=radius, sigma=sigma, degrees=first + step * t)
        assert np.array_equal(frame, expected)
    assert first + step * t == 0


@pytest.mark.parametrize(("family", "step"), [("imagenet_p", 0.02), ("cifar10_p", 0.015)])
def test_brightness_rises_by_a_step_a_frame(family, step):
    grey = np.full((1, 32, 32, 3), 100, np.uint8)
    for t, frame in enumerate(frames_of("brightness", family, grey)):
        # A level is cut off where rounding of the sum falls below it.
        level = np.clip(100 + 255 * step * (t - 15), 0, 255)
        assert frame.min() == frame.max()
        assert level - 1 - 1e-9 < frame.max() <= level + 1e-9


@pytest.mark.parametrize(
    ("family", "first", "step", "truncate"),
    [("imagenet_p", 0.25, 0.035, 6), ("cifar10_p", 0.3, 0.015, 7)],
)
def test_gaussian_blur_widens(family, first, step, truncate):
    for t, frame in enumerate(frames_of("gaussian_blur", family)):
        sigma = first + step * t
        for channel in range(3):
            blurred = gaussian_filter(
                IMAGE[0, ..., channel] / 255, sigma, mode="nearest", truncate=truncate
            )
            assert np.array_equal(frame[..., channel], np.uint8(255 * blurred))


@pytest.mark.parametrize("family", FAMILIES)
def test_snow_falls_on_a_whitened_scene_and_on_its_half_turn(family):
    black = np.zeros((1, 32, 32, 3), np.uint8)
    frames = frames_of("snow", family, black)
    # Scene and flakes are added up in another order in the half turn, and then cut off to levels.
    half_turn = frames[:, ::-1, ::-1].astype(np.int64)
    assert np.abs(frames - half_turn).max() <= 1
    assert (frames[..., :1] == frames).all()
    assert frames.min() == 19  # where there is no flake: 0.15 times a half of 255, cut off
    assert (frames > 19).mean() > 0.01
    # The wind turns; 4 degrees along a line of 10 pixels are the same pixels now and then.
    assert len({frame.tobytes() for frame in frames}) > 20


@pytest.mark.parametrize("family", FAMILIES)
def test_snow_is_the_mixture_of_the_scene_and_its_whitened_copy(family, monkeypatch):
    values = {**constants("snow", family=family), "threshold": 2.0}  # no noise gets there
    monkeypatch.setitem(_sequences.FAMILIES[family], "snow", values)
    x = IMAGE[0] / 255.0
    grey = (x @ [0.299, 0.587, 0.114])[..., np.newaxis]
    expected = 255 * (0.85 * x + 0.15 * np.maximum(x, 1.5 * grey + 0.5)).clip(0, 1)
    cut = expected - frames_of("snow", family)
    # Cut off to whole levels; grey is float32, which is 255 * 1e-6 off at most.
    assert cut.min() > -1e-3 and cut.max() < 1 + 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_spatter_begins_as_the_corruption_and_runs_down(family):
    c = constants("spatter", family=family)
    image = np.zeros((1, 96, 96, 3), np.uint8)
    frames = frames_of("spatter", family, image)
    water = (c["mean"], c["sd"], c["sigma"], c["threshold"], c["strength"], 0)
    assert np.array_equal(frames[:1], spattered(image, water, [generator(1)]))
    assert frames[0].any()
    rows = np.arange(96)
    # Rows that stay clear of the bottom, where water runs out.
    heights = [np.average(rows, weights=f.sum((1, 2), dtype=np.float64)) for f in frames[:8]]
    assert heights[-1] > heights[0] + 1


@pytest.mark.parametrize("drip", [(0.05, 0.1, 0.15, 0.7), (0.2, 0.8), (0.5, 0.3, 0.2)])
def test_a_drip_is_a_convolution_of_the_columns(drip):
    noise = np.random.default_rng(0).random((2, 9, 4))
    expected = np.apply_along_axis(np.convolve, 1, noise, drip, mode="same")
    # The same products, added up in another order.
    np.testing.assert_allclose(_dripped(noise, drip), expected, rtol=1e-14)
