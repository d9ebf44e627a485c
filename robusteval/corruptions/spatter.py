"""Spatter: drops of water or mud on the lens."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import Levels, rounded, truncated
from robusteval.corruptions._liquid import MUD, WATER, behind, liquid, scene, smooth
from robusteval.corruptions._water import water

THINNEST_MUD = 0.8


def spatter(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
    *,
    levels: Levels = truncated,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under drops of water or mud.

    ``constant`` is the mean and the standard deviation of noise, the standard deviation in pixels
    of the kernel that smooths it, above which noise there is liquid, the strength of water or the
    standard deviation in pixels of the kernel that smooths mud, and 0 for water or 1 for mud.
    An image where the noise stays below the threshold gets no liquid. ``levels`` makes the result
    whole.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    mean, sd, sigma, threshold, strength, is_mud = constant
    _, height, width, channels = images.shape
    noise = liquid(height, width, generators, mean=mean, sd=sd, sigma=sigma, threshold=threshold)
    planes = scene(images)
    if not is_mud:
        return behind(planes, water(noise, np.float32(strength)), WATER[channels], levels)
    amount = smooth((noise > threshold).astype(np.float64), strength)
    amount[amount < THINNEST_MUD] = 0.0
    planes *= 1.0 - amount
    return behind(planes, amount, MUD[channels], levels)


def spatter_mnist_c(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under drops, rounded; ``constant`` as there.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c, whose drops are always mud.
    """
    return spatter(images, constant, generators, levels=rounded)
