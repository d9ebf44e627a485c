"""Pixels as weighted sums of the four around a position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from robusteval.corruptions._scratch import Scratch


def summed_corners(
    x: NDArray[Any],
    row: NDArray[np.int32],
    column: NDArray[np.int32],
    weights: NDArray[Any],
    scratch: Scratch,
) -> NDArray[Any]:
    """Return sums (H, W, C) over the pixels of ``x`` (rows, columns, C) at each position.

    ``row`` and ``column`` (H, W) are the upper left of the four; ``weights`` (H, W, 4) come in the
    order upper left, upper right, lower left, lower right, and are summed in it. As the product
    with a sparse matrix that takes one pass, where numpy would take a dozen.
    """
    height, width, channels = x.shape
    index = scratch.array("index", (*row.shape, 4), np.int32)
    np.multiply(row, np.int32(width), out=index[..., 0])
    index[..., 0] += column
    for corner, offset in enumerate((1, width, width + 1), 1):
        np.add(index[..., 0], np.int32(offset), out=index[..., corner])
    starts = np.arange(0, index.size + 1, 4, dtype=np.int32)
    matrix = csr_array((weights.ravel(), index.ravel(), starts), shape=(row.size, height * width))
    sums: NDArray[Any] = matrix @ x.reshape(-1, channels)
    return sums.reshape(*row.shape, channels)
