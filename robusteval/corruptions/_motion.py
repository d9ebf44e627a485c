"""Motion blur as ImageMagick does it: weights along a line that starts at the pixel."""

import math

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 1e-6  # of the weights in total: less than a thousandth of a level
HALF_STEP = 0.5 / 257  # of the 16-bit levels, 257 to one of 8 bits, that results are rounded to


def moved(
    image: NDArray[np.uint8], *, radius: int, sigma: float, degrees: float
) -> NDArray[np.uint8]:
    """Return ``image`` (H, W, C) blurred one-sidedly along the direction ``degrees``.

    The weights are normal with ``sigma`` pixels, over 2 ``radius`` + 1 pixels; 0 degrees goes to
    the right, 90 down. Beyond the border the nearest pixel is repeated. The result is rounded to
    16 bits and cut off to 8.

    Source: -motion-blur of ImageMagick 6, which ImageNet-C calls.
    """
    height, width, channels = image.shape
    weights, rows, columns = _line(radius, sigma, degrees)
    top, left = max(0, -rows.min()), max(0, -columns.min())
    source_rows = np.arange(-top, height + max(0, rows.max())).clip(0, height - 1)
    source_columns = np.arange(-left, width + max(0, columns.max())).clip(0, width - 1)
    bordered = image.take(source_rows, axis=0).take(source_columns, axis=1).astype(np.float32)
    # Rows of values, because loops over a last axis of 3 are several times slower.
    bordered = bordered.reshape(len(source_rows), -1)
    total = np.full((height, width * channels), HALF_STEP, np.float32)
    part = np.empty_like(total)
    for weight, row, column in zip(weights, rows + top, (columns + left) * channels, strict=True):
        seen = bordered[row : row + height, column : column + width * channels]
        total += np.multiply(seen, weight, out=part)
    return total.astype(np.uint8).reshape(image.shape)


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
