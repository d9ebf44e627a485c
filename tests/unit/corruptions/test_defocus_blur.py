"""Defocus blur against a direct sum over its disc."""

import numpy as np
import pytest
from scipy.ndimage import correlate

from robusteval.corruptions.defocus_blur import defocus_blur, disc

CONSTANTS = [(0.5, 0.6), (3, 0.1), (4, 0.5), (8, 0.5), (10, 0.5)]


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("shape", [(28, 41, 3), (33, 28, 1)])
def test_it_is_the_direct_sum_with_a_mirrored_border(constant, shape):
    images = np.random.default_rng(0).integers(0, 256, (2, *shape), dtype=np.uint8)
    kernel = disc(*constant).astype(float)[np.newaxis, :, :, np.newaxis]
    # "mirror" of this library is about the outermost pixels
    expected = np.clip(correlate(images / 255.0, kernel, mode="mirror"), 0, 1) * 255
    # Both truncate the same number but for rounding: 1e-9 is far above that of the transforms.
    result = defocus_blur(images, constant, [])
    assert (result >= np.floor(expected - 1e-9)).all()
    assert (result <= np.floor(expected + 1e-9)).all()


def test_a_hard_disc_is_even_within_and_nothing_outside():
    kernel = disc(3, 0.1)
    assert kernel.shape == (7, 7)
    steps = np.arange(-3, 4)
    inside = steps[:, np.newaxis] ** 2 + steps**2 <= 9
    # 29 pixels; the softening with 0.1 moves exp(-50), nothing that a float32 near 1/29 shows
    assert kernel[inside] == pytest.approx(1 / 29, rel=1e-6)
    assert (kernel[~inside] < 1e-12).all()


@pytest.mark.parametrize(("radius", "total"), [(4, 1.0), (8, 1.01298), (10, 1.01079)])
def test_the_published_discs_that_touch_their_grid_brighten(radius, total):
    # to 1e-5: the sums of severities 4 and 5 as worked out from the published description
    assert disc(radius, 0.5).sum() == pytest.approx(total, abs=1e-5)
