"""Fog: clouds of light, and less contrast."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
    while side < max(height, width):
        side *= 2
    corrupted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        clouds = plasma(int(side), decay, generator)[:height, :width]
        largest = image.max() / 255.0
        number = clouds.dtype.type
        factor = largest / (largest + strength)
        light = clouds * number(255.0 * strength * factor)
        for channel in range(image.shape[-1]):
            x = image[..., channel] * number(factor)
            x += light  # at most the largest level, so there is nothing to clip
            out[..., channel] = x
    return corrupted
