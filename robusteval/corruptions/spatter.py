"""Spatter: drops of water or mud on the lens."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from robusteval.corruptions._levels import Levels, rounded, truncated
from robusteval.corruptions._water import water

# Grey levels of the three channels; for grey images that of MNIST-C for mud, luma for water.
WATER = {3: (175, 238, 238), 1: (219,)}
MUD = {3: (63, 42, 20), 1: (63,)}
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
    channels = images.shape[-1]
    noise = np.empty(images.shape[:3])
    for layer, generator in zip(noise, generators, strict=True):
        layer[:] = generator.normal(mean, sd, layer.shape)
    noise = _smooth(noise, sigma)
    noise[noise < threshold] = 0.0
    # Planes of float32 as published; loops over a last axis of 3 are several times slower.
    x = np.divide(np.moveaxis(images, -1, 0), np.float32(255), dtype=np.float32, order="C")
    amount: NDArray[np.floating]
    if is_mud:
        colour = MUD[channels]
        amount = _smooth((noise > threshold).astype(np.float64), strength)
        amount[amount < THINNEST_MUD] = 0.0
        x *= 1.0 - amount
    else:
        colour = WATER[channels]
        amount = water(noise, np.float32(strength))
    corrupted = np.empty_like(images, order="C")
    for channel, (plane, level) in enumerate(zip(x, colour, strict=True)):
        plane += (amount * np.float32(level / 255)).astype(np.float32)
        corrupted[..., channel] = levels(plane)
    return corrupted


def spatter_mnist_c(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under drops, rounded; ``constant`` as there.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c, whose drops are always mud.
    """
    return spatter(images, constant, generators, levels=rounded)


def _smooth(x: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return ``x`` (N, H, W) under a normal kernel cut at 4 ``sigma``, the border repeated."""
    smooth: NDArray[np.float64] = gaussian_filter(
        x, sigma=(0.0, sigma, sigma), mode="nearest", truncate=4.0
    )
    return smooth
