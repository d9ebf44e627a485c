"""Warping an image by three of its points, with the fixed-point steps of OpenCV."""

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._corners import read_between

STEP_BITS = 5  # positions are rounded to 32nds of a pixel
FINE_BITS = 10  # and before that, their parts to 1024ths


def warped(
    x: NDArray[np.float32],
    before: NDArray[np.float32],
    after: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return ``x`` (H, W, C) moved so that the points ``before`` come to ``after``.

    The points (3, 2) are columns and rows in pixels. Linear between pixels; beyond the border the
    image is mirrored about its outermost pixels.

    Source: warpAffine of OpenCV 3.4, which ImageNet-C calls.
    """
    row, row_step, column, column_step = _positions(x.shape[:2], before, after)
    border = [
        (max(0, -int(at.min())), max(0, int(at.max()) + 2 - side))
        for at, side in ((row, x.shape[0]), (column, x.shape[1]))
    ]
    bordered = np.pad(x, [*border, (0, 0)], mode="reflect")
    row += np.int32(border[0][0])
    column += np.int32(border[1][0])
    below, behind = (s.astype(np.float32) / (1 << STEP_BITS) for s in (row_step, column_step))
    return read_between(bordered, row, column, below, behind)


def _positions(
    shape: tuple[int, ...], before: NDArray[np.float32], after: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return from which row and how many steps below it each pixel comes, and the columns alike."""
    homogeneous = np.column_stack([before.astype(np.float64), np.ones(3)])
    (a, d), (b, e), (c, f) = np.linalg.solve(homogeneous, after.astype(np.float64))
    inverse = 1.0 / (a * e - b * d)
    a, b, d, e = e * inverse, -b * inverse, -d * inverse, a * inverse
    c, f = -a * c - b * f, -d * c - e * f
    x, y = np.arange(shape[1]), np.arange(shape[0])[:, np.newaxis]
    half = 1 << (FINE_BITS - STEP_BITS) >> 1  # rounds to the nearest step
    column = _fine(a * x) + (_fine(b * y + c) + half)
    row = _fine(d * x) + (_fine(e * y + f) + half)
    column >>= FINE_BITS - STEP_BITS
    row >>= FINE_BITS - STEP_BITS
    mask = (1 << STEP_BITS) - 1
    return row >> STEP_BITS, row & mask, column >> STEP_BITS, column & mask


def _fine(position: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.rint(position * (1 << FINE_BITS)).astype(np.int32)
