"""Speckle noise: noise in proportion to the light."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import truncated, unit


def speckle_noise(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) plus themselves times normal noise, independent by value.

    ``constant`` is the standard deviation of the noise relative to the value.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    x = unit(images)
    for image, generator in zip(x, generators, strict=True):
        image += image * generator.normal(scale=constant, size=image.shape)
    return truncated(x)
