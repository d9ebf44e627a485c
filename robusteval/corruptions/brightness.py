"""Brightness: the value of the hue, saturation and value colours is raised."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._hue import middle_share
from robusteval.corruptions._levels import LEVELS, Levels, rounded, truncated, unit
from robusteval.corruptions._pixelwise import pixelwise


def brightness(
    images: NDArray[np.uint8],
    constant: float,
    generators: Sequence[np.random.Generator],
    *,
    levels: Levels = truncated,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with their value V raised, hue and saturation kept.

    ``constant`` is added to V, the largest channel (scale 0 to 1); V is clipped to [0, 1]. Grey
    images (one channel) are their own V. ``levels`` makes the result whole. Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    if images.shape[-1] == 1:
        return levels(LEVELS + constant)[images]
    return pixelwise(images, lambda planes: _value_raised(planes, constant, levels))


def brightness_mnist_c(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with their value V raised, rounded; ``constant`` as there.

    Draws nothing.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    return brightness(images, constant, generators, levels=rounded)


def _value_raised(planes: NDArray[np.uint8], amount: float, levels: Levels) -> NDArray[np.uint8]:
    """Return colours ``planes`` (3, ...) with V = clip(V + amount, 0, 1), made whole by ``levels``.

    On paper this is the colour times the new V over the old. The way over hue and saturation is
    kept because many of those products are whole grey levels on paper, and there the rounding of
    each step decides what truncation makes of them.
    """
    largest = np.maximum(np.maximum(planes[0], planes[1]), planes[2])
    smallest = np.minimum(np.minimum(planes[0], planes[1]), planes[2])
    value = unit(largest)
    delta = value - LEVELS[smallest]
    # Grey colours: delta is 0, and any divisor gives saturation 0.
    saturation = delta / np.where(largest == 0, 1.0, value)
    v = np.clip(value + amount, 0.0, 1.0)
    p = v * (1.0 - saturation)
    middle = v * (1.0 - middle_share(planes, largest, delta) * saturation)
    levels_v, levels_p, levels_middle = levels(v), levels(p), levels(middle)
    raised = np.where(planes == smallest, levels_p, levels_middle)
    return np.where(planes == largest, levels_v, raised)
