"""Liquid on the lens: smooth noise above a threshold, and the scene behind it."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._band import Band, normal_band
from robusteval.corruptions._draws import normal
from robusteval.corruptions._levels import Levels, truncated

# Grey levels of the three channels; for grey images that of MNIST-C for mud, luma for water.
WATER = {3: (175, 238, 238), 1: (219,)}
MUD = {3: (63, 42, 20), 1: (63,)}


def liquid(
    height: int,
    width: int,
    generators: Sequence[np.random.Generator],
    *,
    mean: float,
    sd: float,
    sigma: float,
    threshold: float,
) -> NDArray[np.float64]:
    """Return smooth noise (N, H, W), an image a generator, 0 where it is below ``threshold``.

    ``mean`` and ``sd`` are those of the noise (scale 0 to 1) before a kernel of standard
    deviation ``sigma``, in pixels, smooths it.
    """
    noise = np.empty((len(generators), height, width))
    for layer, generator in zip(noise, generators, strict=True):
        layer[:] = normal(generator, mean, sd, layer.shape)
    noise = smooth(noise, sigma)
    noise[noise < threshold] = 0.0
    return noise


def smooth(x: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return ``x`` (N, H, W) under a normal kernel cut at 4 ``sigma``, the border repeated."""
    smoothed, rows = np.empty_like(x), np.empty(x.shape[1:])
    for plane, out in zip(x, smoothed, strict=True):
        _band(x.shape[1], sigma).along_rows(plane, rows)
        _band(x.shape[2], sigma).along_columns(rows, out)
    return smoothed


@lru_cache(maxsize=16)
def _band(side: int, sigma: float) -> Band:
    return normal_band(side, sigma, truncate=4.0, mode="edge")


def scene(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return ``images`` (N, H, W, C) as planes (C, N, H, W), scale 0 to 1.

    Of float32 as published; loops over a last axis of 3 are several times slower.
    """
    return np.divide(np.moveaxis(images, -1, 0), np.float32(255), dtype=np.float32, order="C")


def behind(
    planes: NDArray[np.float32],
    amount: NDArray[np.floating],
    colour: tuple[int, ...],
    levels: Levels = truncated,
) -> NDArray[np.uint8]:
    """Return ``planes`` (C, N, H, W) plus ``amount`` (N, H, W) of ``colour``, as (N, H, W, C).

    ``levels`` makes the result whole.
    """
    seen = np.empty((*planes.shape[1:], len(planes)), np.uint8)
    for channel, (plane, level) in enumerate(zip(planes, colour, strict=True)):
        lit = plane + (amount * np.float32(level / 255)).astype(np.float32)
        seen[..., channel] = levels(lit)
    return seen
