"""Spatter: drops of water or mud on the lens."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._band import Band, normal_band
from robusteval.corruptions._draws import normal
from robusteval.corruptions._water import water

# Grey levels of the three channels; for grey images that of MNIST-C for mud, luma for water.
WATER = {3: (175, 238, 238), 1: (219,)}
MUD = {3: (63, 42, 20), 1: (63,)}
THINNEST_MUD = 0.8


def spatter(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under drops of water or mud.

    ``constant`` is the mean and the standard deviation of noise, the standard deviation in pixels
    of the kernel that smooths it, above which noise there is liquid, the strength of water or the
    standard deviation in pixels of the kernel that smooths mud, and 0 for water or 1 for mud.
    An image where the noise stays below the threshold gets no liquid.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    mean, sd, sigma, threshold, strength, is_mud = constant
    height, width, channels = images.shape[1:]
    colour = (MUD if is_mud else WATER)[channels]
    corrupted = np.empty_like(images, order="C")
    x = np.empty((height, width), np.float32)
    amount: NDArray[np.floating]
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        noise = _smooth(normal(generator, mean, sd, (height, width)), sigma)
        noise[noise < threshold] = 0.0
        if is_mud:
            amount = _smooth((noise > threshold).astype(np.float64), strength)
            amount[amount < THINNEST_MUD] = 0.0
        else:
            amount = water(noise[np.newaxis], np.float32(strength))[0]
        for channel, level in enumerate(colour):
            # float32 as published
            np.divide(image[..., channel], np.float32(255), out=x)
            if is_mud:
                x *= 1.0 - amount
            x += (amount * np.float32(level / 255)).astype(np.float32)
            np.clip(x, 0, 1, out=x)
            x *= np.float32(255)
            out[..., channel] = x
    return corrupted


def _smooth(x: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return ``x`` (H, W) under a normal kernel cut at 4 ``sigma``, the border repeated."""
    rows, smooth = np.empty_like(x), np.empty_like(x)
    _band(x.shape[0], sigma).along_rows(x, rows)
    _band(x.shape[1], sigma).along_columns(rows, smooth)
    return smooth


@lru_cache(maxsize=16)
def _band(side: int, sigma: float) -> Band:
    return normal_band(side, sigma, truncate=4.0, mode="edge")
