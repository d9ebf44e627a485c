"""Speckle noise: noise in proportion to the light."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from robusteval.corruptions._draws import is_legacy
from robusteval.corruptions._levels import truncated, unit
from robusteval.corruptions._redraw import Outcomes, outcomes, redrawn


def speckle_noise(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) plus themselves times normal noise, independent by value.

    ``constant`` is the standard deviation of the noise relative to the value.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        if is_legacy(generator):
            x = unit(image)
            out[:] = truncated(x + x * generator.normal(scale=constant, size=image.shape))
        else:
            out[:] = redrawn(image, _outcomes(constant), generator)
    return corrupted


@lru_cache(maxsize=8)
def _outcomes(sd: float) -> Outcomes:
    # Truncation: a result is r or less where the sum is below r + 1. Black stays black.
    below = np.ones((256, 256))
    level = np.arange(1, 256)[:, np.newaxis]
    below[1:] = ndtr((np.arange(1, 257) / level - 1.0) / sd)
    return outcomes(below)
