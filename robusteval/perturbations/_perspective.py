"""Seeing an image in perspective, with the fixed-point steps of OpenCV."""

import numpy as np
from numpy.typing import NDArray

STEP_BITS = 5  # positions are rounded to 32nds of a pixel
STEPS = 1 << STEP_BITS
EDGE = 2  # black pixels around the image: room for a neighbour of a pixel beyond it


def in_perspective(images: NDArray[np.uint8], matrix: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C), each pixel moved by ``matrix`` (3, 3).

    The matrix takes a pixel's homogeneous column and row to those where it is seen. Linear between
    pixels, rounded to whole levels; black beyond the image.

    Source: warpPerspective of OpenCV, which ImageNet-P calls.
    """
    n, height, width, channels = images.shape
    inverse = np.asarray(np.linalg.inv(matrix), np.float64)
    rows, columns = _positions(height, width, inverse)
    first, weights = _corners(rows, columns, height, width)
    bordered = np.pad(images, ((0, 0), (EDGE, EDGE), (EDGE, EDGE), (0, 0)))
    row = width + 2 * EDGE
    seen = np.empty_like(images, order="C")
    for channel in range(channels):
        # Planes, because gathering over a last axis of 3 is several times slower.
        values = np.ascontiguousarray(bordered[..., channel]).reshape(n, -1)
        total = np.full((n, first.size), STEPS * STEPS // 2, np.int32)  # rounds to the nearest
        for offset, weight in zip((0, 1, row, row + 1), weights, strict=True):
            total += values[:, first + offset] * weight
        seen[..., channel] = (total >> (2 * STEP_BITS)).reshape(n, height, width)
    return seen


def _positions(
    height: int, width: int, inverse: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row and column, in steps, that each pixel (H * W) comes from."""
    x, y = np.arange(width), np.arange(height)[:, np.newaxis]
    across, down, depth = (a * x + (b * y + c) for a, b, c in inverse)
    scale = STEPS / depth  # the depth is far from 0 for tilts of less than a right angle
    rows, columns = (np.rint(part * scale).astype(np.int64).ravel() for part in (down, across))
    return rows, columns


def _corners(
    rows: NDArray[np.int64], columns: NDArray[np.int64], height: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where each pixel's upper left neighbour lies in the bordered image, and the weights
    (4, H * W) of it, the right one, the lower and the lower right one, which add up to 1024."""
    row = np.clip((rows >> STEP_BITS) + EDGE, 0, height + EDGE)
    column = np.clip((columns >> STEP_BITS) + EDGE, 0, width + EDGE)
    below, right = rows & (STEPS - 1), columns & (STEPS - 1)
    above, left = STEPS - below, STEPS - right
    weights = np.stack([above * left, above * right, below * left, below * right])
    return row * (width + 2 * EDGE) + column, weights.astype(np.int32)
