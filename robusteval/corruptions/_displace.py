"""Moving every pixel by a vector of its own."""

import numpy as np
from numpy.typing import NDArray


def displaced(
    planes: NDArray[np.float32], down: NDArray[np.float32], across: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return ``planes`` (C, H, W), each pixel read ``down`` and ``across`` (H, W) pixels away.

    Linear between pixels. Positions outside are mirrored about the outer edge of the outermost
    pixels; in the half pixel at the edge, where that leaves them outside, the neighbours are those
    mirrored about the outermost pixels.

    Source: map_coordinates of scipy 1.0 with mode="reflect", which ImageNet-C calls; later
    versions of scipy repeat the outermost pixel in that half.
    """
    height, width = planes.shape[1:]
    rows = _folded(np.arange(height, dtype=np.float64)[:, np.newaxis] + down, height)
    columns = _folded(np.arange(width, dtype=np.float64) + across, width)
    row, column = np.floor(rows), np.floor(columns)
    rows -= row
    columns -= column
    bordered = np.pad(planes.astype(np.float64), ((0, 0), (1, 1), (1, 1)), mode="reflect")
    first = ((row + 1) * (width + 2) + (column + 1)).astype(np.intp)
    moved = np.empty_like(planes)
    corners = np.empty((4, height, width))
    for values, out in zip(bordered.reshape(len(planes), -1), moved, strict=True):
        for offset, corner in zip((0, 1, width + 2, width + 3), corners, strict=True):
            values[offset:].take(first, out=corner, mode="clip")  # all inside: just the fastest
        above = _between(corners[0], corners[1], columns)
        below = _between(corners[2], corners[3], columns)
        out[:] = _between(above, below, rows)
    return moved


def _between(
    start: NDArray[np.float64], end: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    end -= start
    end *= share
    end += start
    return end


def _folded(position: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    """Return ``position`` mirrored about -0.5 and ``side`` - 0.5 into -1 to ``side``."""
    outside = (position < 0) | (position >= side)
    folded = position[outside] % (2 * side)
    position[outside] = np.where(folded < side, folded, 2 * side - 1 - folded)
    return position
