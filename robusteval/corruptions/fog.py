"""Fog: clouds of light, and less contrast."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import Levels, rounded, truncated, unit
from robusteval.corruptions._plasma import plasma


def fog(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
    *,
    levels: Levels = truncated,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under clouds, with their largest value kept.

    ``constant`` is the strength of the clouds (scale 0 to 1), by how much finer ones are weaker,
    and the side of the square of clouds, a power of two, of which the upper left is used. For
    images that are larger it is doubled until they fit. ``levels`` makes the result whole.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    strength, decay, side = constant
    height, width = images.shape[1:3]
    while side < max(height, width):
        side *= 2
    x = unit(images)
    for image, generator in zip(x, generators, strict=True):
        largest = image.max()
        clouds = plasma(int(side), decay, generator)[:height, :width, np.newaxis]
        image += strength * clouds
        image *= largest
        image /= largest + strength
    return levels(x)


def fog_mnist_c(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under clouds, rounded; ``constant`` as there.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c. Its square of clouds has 256
    pixels for images of 28, so an image sees a small part, and how bright that is varies much.
    """
    return fog(images, constant, generators, levels=rounded)
