"""Warping an image by three of its points, with the fixed-point steps of OpenCV."""

import numpy as np
from numpy.typing import NDArray

STEP_BITS = 5  # positions are rounded to 32nds of a pixel
FINE_BITS = 10  # and before that, their parts to 1024ths


def warped(
    planes: NDArray[np.float32], before: NDArray[np.float32], after: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return ``planes`` (C, H, W) moved so that the points ``before`` come to ``after``.

    The points (3, 2) are columns and rows in pixels. Linear between pixels; beyond the border the
    image is mirrored about its outermost pixels.

    Source: warpAffine of OpenCV 3.4, which ImageNet-C calls.
    """
    rows, row_steps, columns, column_steps = _positions(planes.shape[1:], before, after)
    top, left = max(0, -rows.min()), max(0, -columns.min())
    sources = [
        _mirrored(-top, max(planes.shape[1], rows.max() + 2), planes.shape[1]),
        _mirrored(-left, max(planes.shape[2], columns.max() + 2), planes.shape[2]),
    ]
    bordered = planes.take(sources[0], axis=1).take(sources[1], axis=2)
    width = bordered.shape[2]
    first = (rows + top) * width + (columns + left)
    down = row_steps.astype(np.float32) / (1 << STEP_BITS)
    across = column_steps.astype(np.float32) / (1 << STEP_BITS)
    up, back = 1 - down, 1 - across
    corners = ((0, up * back), (1, up * across), (width, down * back), (width + 1, down * across))
    moved = np.zeros_like(planes)
    part = np.empty_like(up)
    for values, out in zip(bordered.reshape(len(planes), -1), moved, strict=True):
        for offset, weight in corners:
            values[offset:].take(first, out=part, mode="clip")  # all lie inside: just the fastest
            part *= weight
            out += part
    return moved


def _positions(
    shape: tuple[int, ...], before: NDArray[np.float32], after: NDArray[np.float32]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return from which row and how many steps below it each pixel comes, and the columns alike."""
    homogeneous = np.column_stack([before.astype(np.float64), np.ones(3)])
    (a, d), (b, e), (c, f) = np.linalg.solve(homogeneous, after.astype(np.float64))
    inverse = 1.0 / (a * e - b * d)
    a, b, d, e = e * inverse, -b * inverse, -d * inverse, a * inverse
    c, f = -a * c - b * f, -d * c - e * f
    x, y = np.arange(shape[1]), np.arange(shape[0])[:, np.newaxis]
    column = _fine(a * x) + _fine(b * y + c)
    row = _fine(d * x) + _fine(e * y + f)
    shift = FINE_BITS - STEP_BITS
    half = 1 << shift >> 1  # rounds to the nearest step
    column = (column + half) >> shift
    row = (row + half) >> shift
    mask = (1 << STEP_BITS) - 1
    return row >> STEP_BITS, row & mask, column >> STEP_BITS, column & mask


def _fine(position: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.rint(position * (1 << FINE_BITS)).astype(np.intp)


def _mirrored(start: int, stop: int, side: int) -> NDArray[np.intp]:
    """Return where the pixels from ``start`` to ``stop - 1`` lie in an image of ``side``."""
    position = np.abs(np.arange(start, stop)) % (2 * side - 2)
    mirrored: NDArray[np.intp] = np.minimum(position, 2 * side - 2 - position)
    return mirrored
