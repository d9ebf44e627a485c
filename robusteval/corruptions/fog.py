"""Fog: clouds of light, and less contrast."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import rounded, unit
from robusteval.corruptions._plasma import plasma


def fog(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under clouds, with their largest value kept.

    ``constant`` is the strength of the clouds (scale 0 to 1), by how much finer ones are weaker,
    and the side of the square of clouds, a power of two, of which the upper left is used. For
    images that are larger it is doubled until they fit.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    strength, decay, side = constant
    height, width = images.shape[1:3]
    corrupted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        clouds = _clouds(height, width, int(side), decay, generator)
        largest = image.max() / 255.0
        number = clouds.dtype.type
        factor = largest / (largest + strength)
        light = clouds * number(255.0 * strength * factor)
        for channel in range(image.shape[-1]):
            x = image[..., channel] * number(factor)
            x += light  # at most the largest level, so there is nothing to clip
            out[..., channel] = x
    return corrupted


def fog_mnist_c(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under clouds, rounded; ``constant`` as there.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c. Its square of clouds has 256
    pixels for images of 28, so an image sees a small part, and how bright that is varies much.
    """
    strength, decay, side = constant
    height, width = images.shape[1:3]
    x = unit(images)
    for image, generator in zip(x, generators, strict=True):
        largest = image.max()
        clouds = _clouds(height, width, int(side), decay, generator)
        image += strength * clouds[..., np.newaxis]
        image *= largest
        image /= largest + strength
    return rounded(x)


def _clouds(
    height: int, width: int, side: int, decay: float, generator: np.random.Generator
) -> NDArray[np.floating]:
    """Return the upper left (H, W) of a square of clouds that is as large as need be."""
    while side < max(height, width):
        side *= 2
    return plasma(side, decay, generator)[:height, :width]
