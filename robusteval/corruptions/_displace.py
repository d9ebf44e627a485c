"""Moving every pixel by a vector of its own."""

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._corners import read_between


def displaced(
    x: NDArray[np.float32],
    down: NDArray[np.float32],
    across: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return ``x`` (H, W, C), each pixel read ``down`` and ``across`` (H, W) pixels away.

    Linear between pixels. Positions outside are mirrored about the outer edge of the outermost
    pixels; in the half pixel at the edge, where that leaves them outside, the neighbours are those
    mirrored about the outermost pixels.

    Source: map_coordinates of scipy 1.0 with mode="reflect", which ImageNet-C calls; later
    versions of scipy repeat the outermost pixel in that half.
    """
    height, width, channels = x.shape
    bordered = np.empty((height + 2, width + 2, channels))
    bordered[1:-1, 1:-1] = x
    bordered[1:-1, 0], bordered[1:-1, -1] = x[:, 1], x[:, -2]
    bordered[0], bordered[-1] = bordered[2], bordered[-3]
    row, below = _split(np.arange(height, dtype=np.float64)[:, np.newaxis] + down, height)
    column, behind = _split(np.arange(width, dtype=np.float64) + across, width)
    return read_between(bordered, row, column, below, behind)


def _split(
    position: NDArray[np.float64], side: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the pixel before each position, counted from the border, and the way from it."""
    position = _folded(position, side)
    before = np.floor(position)
    position -= before
    return before.astype(np.int32) + np.int32(1), position


def _folded(position: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    """Return ``position`` mirrored about -0.5 and ``side`` - 0.5 into -1 to ``side``."""
    outside = (position < 0) | (position >= side)
    if not outside.any():
        return position
    folded = position[outside] % (2 * side)
    position[outside] = np.where(folded < side, folded, 2 * side - 1 - folded)
    return position
