"""Zoom blur: the camera moves towards the scene."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._zoom import centre_taps


def zoom_blur(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return the mean of ``images`` (N, H, W, C) and their enlarged centres; draws nothing.

    ``constant`` holds the factors of the enlargements, which are linear between the pixels.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    n, height, width, channels = images.shape
    # float32 as published; rows and columns side by side, because loops over 3 are slow.
    x = np.divide(images, np.float32(255), dtype=np.float32, order="C")
    x = x.reshape(n, height, width * channels)
    total = np.zeros_like(x)
    for factor in constant:
        total += _enlarged(x, factor, channels)
    total += x
    total /= np.float32(len(constant) + 1)
    np.clip(total, 0.0, 1.0, out=total)
    total *= np.float32(255)
    return total.astype(np.uint8).reshape(images.shape)


def _enlarged(x: NDArray[np.float32], factor: float, channels: int) -> NDArray[np.float32]:
    """Return the centres of ``x`` (N, H, W * C) enlarged by ``factor`` to the size of ``x``."""
    if factor == 1.0:
        return x
    low, share = centre_taps(x.shape[1], factor)
    rows = _between(x, low, low + 1, share.astype(np.float32)[:, np.newaxis], axis=1)
    low, share = centre_taps(x.shape[2] // channels, factor)
    values = (low[:, np.newaxis] * channels + np.arange(channels)).ravel()
    shares = np.repeat(share.astype(np.float32), channels)
    return _between(rows, values, values + channels, shares, axis=2)


def _between(
    x: NDArray[np.float32],
    low: NDArray[np.intp],
    high: NDArray[np.intp],
    share: NDArray[np.float32],
    *,
    axis: int,
) -> NDArray[np.float32]:
    # Not weighted by share and 1 - share: between equal values this gives them back to the bit.
    start = x.take(low, axis)
    way = x.take(high, axis)
    way -= start
    way *= share
    start += way
    return start
