"""Motion blur as ImageMagick does it: weights along a line that starts at the pixel."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import saxpy

from robusteval.corruptions._scratch import Scratch

BAND = 112  # rows summed at once: with 224 columns they stay in a core's cache
NEGLIGIBLE = 1e-6  # of the weights in total: less than a thousandth of a level
HALF_STEP = 0.5 / 257  # of the 16-bit levels, 257 to one of 8 bits, that results are rounded to


def moved(
    image: NDArray[np.uint8],
    *,
    radius: int,
    sigma: float,
    degrees: float,
    scratch: Scratch | None = None,
) -> NDArray[np.uint8]:
    """Return ``image`` (H, W, C) blurred one-sidedly along the direction ``degrees``.

    The weights are normal with ``sigma`` pixels, over 2 ``radius`` + 1 pixels; 0 degrees goes to
    the right, 90 down. Beyond the border the nearest pixel is repeated. The result is rounded to
    16 bits and cut off to 8.

    Source: -motion-blur of ImageMagick 6, which ImageNet-C calls.
    """
    scratch = scratch or Scratch()
    height, width, channels = image.shape
    weights, rows, columns = _line(radius, sigma, degrees)
    bordered = _bordered(image, rows, columns, scratch)
    pitch = bordered.shape[1] * channels
    result = np.empty_like(image, order="C")
    first = -min(0, rows.min()) * pitch - min(0, columns.min()) * channels
    offsets = rows * pitch + columns * channels + first
    for top in range(0, height, BAND):
        band = result[top : top + BAND].reshape(-1, width * channels)
        total = scratch.array("total", (len(band), pitch), np.float32)
        total.fill(HALF_STEP)
        # Every tap reads at one distance, so bands are added as if they were a line; what comes
        # across the ends of rows lies beyond the width that is kept.
        count = (len(band) - 1) * pitch + width * channels
        source, line = bordered.reshape(-1)[top * pitch :], total.reshape(-1)
        for weight, offset in zip(weights, offsets, strict=True):
            saxpy(source, line, n=count, a=weight, offx=offset)
        band[:] = total[:, : width * channels]
    return result


def _bordered(
    image: NDArray[np.uint8], rows: NDArray[np.intp], columns: NDArray[np.intp], scratch: Scratch
) -> NDArray[np.float32]:
    """Return ``image`` with its border repeated as far as the steps of the line reach."""
    height, width, channels = image.shape
    top, left = -min(0, rows.min()), -min(0, columns.min())
    bottom, right = top + height, left + width
    shape = (bottom + max(0, rows.max()), right + max(0, columns.max()), channels)
    bordered: NDArray[np.float32] = scratch.array("bordered", shape, np.float32)
    bordered[top:bottom, left:right] = image
    bordered[top:bottom, :left] = bordered[top:bottom, left : left + 1]
    bordered[top:bottom, right:] = bordered[top:bottom, right - 1 : right]
    bordered[:top] = bordered[top]
    bordered[bottom:] = bordered[bottom - 1]
    return bordered


def _line(
    radius: int, sigma: float, degrees: float
) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.intp]]:
    """Return the weights, and how many rows down and columns to the right each one reads."""
    steps = np.arange(2 * radius + 1)
    weights = np.exp(-0.5 * (steps / sigma) ** 2)
    weights /= weights.sum()
    count = np.searchsorted(np.cumsum(weights), 1.0 - NEGLIGIBLE) + 1
    steps, weights = steps[:count], weights[:count] / weights[:count].sum()
    across = len(steps) * math.cos(math.radians(degrees))
    down = len(steps) * math.sin(math.radians(degrees))
    length = math.hypot(down, across)
    rows = np.ceil(steps * down / length - 0.5).astype(np.intp)
    columns = np.ceil(steps * across / length - 0.5).astype(np.intp)
    return weights.astype(np.float32), rows, columns
