"""Glass blur: pixels displaced at random, as behind frosted glass."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from robusteval.corruptions._blur import blurred
from robusteval.corruptions._chains import displaced
from robusteval.corruptions._levels import rounded, truncated, unit
from robusteval.corruptions._scratch import Scratch
from robusteval.corruptions._swaps import swapped_sources


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
    height, width, channels = images.shape[1:]
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    # Four bytes a pixel, so that a colour is moved as one number.
    moved = np.zeros((height, width, 4), np.uint8)
    colours = moved.view(np.uint32).reshape(-1)
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        moved[..., :channels] = blurred(image, sigma, scratch).transpose(0, 2, 1)
        source = displaced(height, width, reach, generator)
        for _ in range(times - 1):
            source = source.take(displaced(height, width, reach, generator))
        colours[:] = colours.take(source)
        out[:] = blurred(moved[..., :channels], sigma, scratch).transpose(0, 2, 1)
    return corrupted


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
