"""Gaussian noise: low light."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from robusteval.corruptions._draws import is_legacy
from robusteval.corruptions._levels import LEVELS, truncated, unit
from robusteval.corruptions._redraw import Outcomes, outcomes, redrawn


def gaussian_noise(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) plus normal noise, independent for each value.

    ``constant`` is the standard deviation of the noise on the scale 0 to 1.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        if is_legacy(generator):
            out[:] = truncated(unit(image) + generator.normal(scale=constant, size=image.shape))
        else:
            out[:] = redrawn(image, _outcomes(constant), generator)
    return corrupted


@lru_cache(maxsize=8)
def _outcomes(sd: float) -> Outcomes:
    # Truncation: a result is r or less where the sum is below r + 1.
    upper = np.arange(1, 257) / 255.0
    return outcomes(ndtr((upper - LEVELS[:, np.newaxis]) / sd))
