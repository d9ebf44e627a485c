"""Edges of grey images, as Canny's detector of OpenCV finds them."""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

# tan(22.5 degrees) in 15 bits: directions are told apart with whole numbers
TANGENT, TANGENT_BITS = 13573, 15
TOUCHING = np.zeros((3, 3, 3), np.bool_)  # neighbours in an image, corners too; not between images
TOUCHING[1] = True


def canny(images: NDArray[np.uint8], low: int, high: int) -> NDArray[np.bool_]:
    """Return where ``images`` (N, H, W) have edges.

    Gradients are those of Sobel, their length the sum of the parts. Ridges longer than ``low`` are
    edges where they are connected to one longer than ``high``.

    Source: Canny 1986; Canny of OpenCV with its defaults, which ImageNet-C calls.
    """
    across, down = _sobel(images)
    length = np.abs(across) + np.abs(down)
    ridge = (length > low) & _is_largest(length, across, down)
    groups, count = label(ridge, TOUCHING)
    strong = np.zeros(count + 1, np.bool_)
    strong[groups[length > high]] = True
    strong[0] = False  # what is no ridge
    edges: NDArray[np.bool_] = strong[groups]
    return edges


def _sobel(images: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    x = np.pad(images, ((0, 0), (1, 1), (1, 1)), mode="edge").astype(np.int32)
    rows = x[:, :-2] + 2 * x[:, 1:-1] + x[:, 2:]
    columns = x[:, :, :-2] + 2 * x[:, :, 1:-1] + x[:, :, 2:]
    return rows[:, :, 2:] - rows[:, :, :-2], columns[:, 2:] - columns[:, :-2]


def _is_largest(
    length: NDArray[np.int32], across: NDArray[np.int32], down: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return where ``length`` is above that of both neighbours along the gradient."""
    bordered = np.pad(length, ((0, 0), (1, 1), (1, 1)))

    def beside(row: int, column: int) -> NDArray[np.int32]:
        height, width = length.shape[1:]
        return bordered[:, 1 + row : 1 + row + height, 1 + column : 1 + column + width]

    flat = np.abs(across) * TANGENT
    rise = np.abs(down) << TANGENT_BITS
    # 67.5 degrees: its tangent is 2 more than that of 22.5
    steep = flat + (np.abs(across) << (TANGENT_BITS + 1))
    level = (length > beside(0, -1)) & (length >= beside(0, 1))
    upright = (length > beside(-1, 0)) & (length >= beside(1, 0))
    falling = (length > beside(-1, -1)) & (length > beside(1, 1))
    rising = (length > beside(-1, 1)) & (length > beside(1, -1))
    slanting = np.where((across ^ down) < 0, rising, falling)
    return np.where(rise < flat, level, np.where(rise > steep, upright, slanting))
