"""Saturate against the colours of the standard library."""

import colorsys

import numpy as np
import pytest

from robusteval.corruptions.saturate import saturate


def colours(n=4000):
    """Return colours as an image (1, n, 1, 3), with many ties between the channels."""
    source = np.random.default_rng(5)
    drawn = source.integers(0, 256, (n, 3))
    drawn[: n // 2] = drawn[: n // 2] // 51 * 51
    return drawn.astype(np.uint8)[np.newaxis, :, np.newaxis]


@pytest.mark.parametrize("constant", [(0.3, 0), (2, 0), (2.5, 0.2)])
def test_it_is_that_of_colorsys(constant):
    factor, offset = constant
    images = colours()
    result = saturate(images, constant, [])
    for before, after in zip(images[0, :, 0], result[0, :, 0], strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*(before / 255.0))
        saturation = min(saturation * factor + offset, 1.0)
        expected = 255 * np.array(colorsys.hsv_to_rgb(hue, saturation, value))
        # Both truncate the same number but for rounding: 1e-9 is far above that of a few steps.
        assert (after >= np.floor(expected - 1e-9)).all()
        assert (after <= np.floor(expected + 1e-9)).all()


def test_grey_pixels_redden_when_saturation_is_added():
    images = np.full((1, 28, 28, 3), 100, np.uint8)
    assert saturate(images, (2, 0.2), [])[0, 0, 0].tolist() == [100, 80, 80]
    assert np.array_equal(saturate(images, (2, 0), []), images)
