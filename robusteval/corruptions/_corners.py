"""Pixels read between pixels: linear sums over the four around a position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

BAND = 56  # rows worked on at once, within a core's cache


def read_between(
    x: NDArray[Any],
    row: NDArray[np.int32],
    column: NDArray[np.int32],
    below: NDArray[Any],
    behind: NDArray[Any],
) -> NDArray[np.float32]:
    """Return what ``x`` (rows, columns, C) has at each position, (H, W, C).

    A position is ``below`` parts of a pixel below the pixel at ``row`` and ``behind`` parts behind
    ``column``, all (H, W); sums are of the type of ``x``. As the product with a sparse matrix that
    takes one pass, where numpy would take a dozen.
    """
    height, width, channels = x.shape
    pixels = x.reshape(height * width, channels)
    read = np.empty((*row.shape, channels), np.float32)
    for top in range(0, len(row), BAND):
        band = slice(top, top + BAND)
        first = row[band] * np.int32(width)
        first += column[band]
        index = np.empty((*first.shape, 4), np.int32)
        for corner, offset in enumerate((0, 1, width, width + 1)):
            np.add(first, np.int32(offset), out=index[..., corner])
        weights = _weights(below[band], behind[band], x.dtype)
        starts = np.arange(0, index.size + 1, 4, dtype=np.int32)
        shape = (first.size, len(pixels))
        matrix = csr_array((weights.ravel(), index.ravel(), starts), shape=shape)
        read[band] = (matrix @ pixels).reshape(*first.shape, channels)
    return read


def _weights(below: NDArray[Any], behind: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the weights of upper left, upper right, lower left and lower right, (..., 4)."""
    weights = np.empty((*below.shape, 4), dtype)
    both = np.multiply(below, behind, out=weights[..., 3])
    np.subtract(below, both, out=weights[..., 2])
    right = np.subtract(behind, both, out=weights[..., 1])
    np.subtract(1 - below, right, out=weights[..., 0])
    return weights
