"""Gaussian blur: out of focus, without the disc of a lens."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from robusteval.corruptions._levels import truncated, unit


def gaussian_blur(
    images: NDArray[np.uint8],
    constant: float,
    generators: Sequence[np.random.Generator],
    *,
    truncate: float = 4.0,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) blurred along height and width; draws nothing.

    ``constant`` is the standard deviation of the kernel in pixels; the kernel is cut at
    ``truncate`` of them, and beyond the border the nearest pixel is repeated.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    # Planes, because filtering values that lie next to each other is up to twice as fast.
    x = unit(np.moveaxis(images, -1, 1))
    sigma = (0.0, 0.0, constant, constant)
    gaussian_filter(x, sigma=sigma, mode="nearest", truncate=truncate, output=x)
    corrupted = np.empty_like(images, order="C")
    for channel, plane in enumerate(np.moveaxis(truncated(x), 1, 0)):
        corrupted[..., channel] = plane
    return corrupted
