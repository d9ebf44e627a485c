"""Glass blur: pixels displaced at random, as behind frosted glass."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from robusteval.corruptions._draws import integers
from robusteval.corruptions._levels import rounded, truncated, unit
from robusteval.corruptions._swaps import swapped_sources
from robusteval.corruptions.gaussian_blur import gaussian_blur


def glass_blur(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) blurred, displaced pixel by pixel, and blurred again.

    ``constant`` is the standard deviation of the blur in pixels, the largest displacement of a
    pixel d (from -d to d - 1 along each axis) and how many times all pixels are displaced.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness. Grey images go the
    way of colour ones.
    """
    sigma, reach, times = constant[0], int(constant[1]), int(constant[2])
    n, height, width, channels = images.shape
    blurred = gaussian_blur(images, sigma, generators)
    pixels = blurred.reshape(n, height * width, channels)
    for image, generator in zip(pixels, generators, strict=True):
        source = np.arange(height * width)
        for _ in range(times):
            source = source[_displaced(height, width, reach, generator)]
        image[:] = image.take(source, axis=0)
    return gaussian_blur(blurred, sigma, generators)


def _displaced(
    height: int, width: int, reach: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """Return from which pixel (counted along rows) each one gets its colour, (H * W,).

    The published loop goes over the inner pixels from the last to the first and overwrites each
    with one nearby. Where that one was overwritten before, its new colour is taken, so the source
    is the source of the source, and so on along the chain: all chains are followed at once.
    """
    rows = np.arange(height - reach, reach, -1)
    columns = np.arange(width - reach, reach, -1)
    steps = integers(generator, -reach, reach, (len(rows), len(columns), 2))
    pixels = rows[:, np.newaxis] * width + columns
    nearby = pixels + steps[..., 1] * width + steps[..., 0]
    source = np.arange(height * width)
    source[pixels] = nearby
    inner = np.zeros((height, width), np.bool_)
    inner[rows[-1] : rows[0] + 1, columns[-1] : columns[0] + 1] = True
    # Where the pixel nearby was overwritten before: it is an inner one and comes after.
    chained = np.zeros(height * width, np.bool_)
    chained[pixels] = inner.ravel()[nearby] & (nearby > pixels)
    pending = np.flatnonzero(chained)
    link = source[pending]
    last = source.copy()
    while len(pending):
        last[pending] = source[link]
        longer = chained[link]
        pending, link = pending[longer], source[link[longer]]
    return last


def glass_blur_mnist_c(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) blurred, with pixels swapped, and blurred again; rounded.

    ``constant`` is the standard deviation of the blur in pixels and how many times all pixels get
    their chance of a swap. Both blurs go along columns only.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    sigma, times = constant[0], int(constant[1])
    n, height, width, channels = images.shape
    blurred = truncated(_along_columns(unit(images), sigma))
    pixels = blurred.reshape(n, height * width, channels)
    for image, generator in zip(pixels, generators, strict=True):
        image[:] = image.take(swapped_sources(height, width, times, generator), axis=0)
    return rounded(_along_columns(unit(blurred), sigma))


def _along_columns(x: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return ``x`` (N, H, W, C) under a normal kernel cut at 4 ``sigma``, the border repeated."""
    smooth: NDArray[np.float64] = gaussian_filter1d(x, sigma, axis=1, mode="nearest", truncate=4.0)
    return smooth
