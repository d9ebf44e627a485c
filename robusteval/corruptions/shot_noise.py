"""Shot noise: light comes in photons."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import Levels, rounded, truncated, unit


def shot_noise(
    images: NDArray[np.uint8],
    constant: float,
    generators: Sequence[np.random.Generator],
    *,
    levels: Levels = truncated,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) as counted photons, independent for each value.

    ``constant`` is the mean number of photons of a white value (255); ``levels`` makes the result
    whole.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    x = unit(images)
    x *= constant
    for image, generator in zip(x, generators, strict=True):
        image[:] = generator.poisson(image)
    x /= constant
    return levels(x)


def shot_noise_mnist_c(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) as counted photons, rounded; ``constant`` as there.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    return shot_noise(images, constant, generators, levels=rounded)
