"""Shot noise: light comes in photons."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import truncated, unit


def shot_noise(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) as counted photons, independent for each value.

    ``constant`` is the mean number of photons of a white value (255).

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    x = unit(images)
    x *= constant
    for image, generator in zip(x, generators, strict=True):
        image[:] = generator.poisson(image)
    x /= constant
    return truncated(x)
