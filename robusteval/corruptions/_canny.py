"""Edges of grey images, as Canny's detector of OpenCV finds them."""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

# tan(22.5 degrees) in 15 bits: directions are told apart with whole numbers
TANGENT, TANGENT_BITS = 13573, 15
TOUCHING = np.ones((3, 3), np.bool_)  # neighbours, corners too


def canny(images: NDArray[np.uint8], low: int, high: int) -> NDArray[np.bool_]:
    """Return where ``images`` (N, H, W) have edges.

    Gradients are those of Sobel, their length the sum of the parts. Ridges longer than ``low`` are
    edges where they are connected to one longer than ``high``.

    Source: Canny 1986; Canny of OpenCV with its defaults, which ImageNet-C calls.
    """
    edges = np.empty(images.shape, np.bool_)
    for image, out in zip(images, edges, strict=True):
        across, down = _sobel(image)
        length = np.abs(across) + np.abs(down)
        ridge = length > low
        if ridge.any():
            ridge &= _is_largest(length, across, down)
        groups, count = label(ridge, TOUCHING)
        strong = np.zeros(count + 1, np.bool_)
        strong[groups[length > high]] = True
        strong[0] = False  # what is no ridge
        strong.take(groups, out=out, mode="clip")  # all lie inside: just the fastest
    return edges


def _sobel(image: NDArray[np.uint8]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    x = np.pad(image, 1, mode="edge").astype(np.int16)
    rows = x[:-2] + 2 * x[1:-1] + x[2:]
    columns = x[:, :-2] + 2 * x[:, 1:-1] + x[:, 2:]
    return rows[:, 2:] - rows[:, :-2], columns[2:] - columns[:-2]


def _is_largest(
    length: NDArray[np.int16], across: NDArray[np.int16], down: NDArray[np.int16]
) -> NDArray[np.bool_]:
    """Return where ``length`` is above that of both neighbours along the gradient."""
    height, width = length.shape
    bordered = np.pad(length, 1)

    def beside(row: int, column: int) -> NDArray[np.int16]:
        return bordered[1 + row : 1 + row + height, 1 + column : 1 + column + width]

    far = np.abs(across).astype(np.int32)
    flat = far * TANGENT
    rise = np.abs(down).astype(np.int32) << TANGENT_BITS
    is_level = rise < flat
    # 67.5 degrees: its tangent is 2 more than that of 22.5
    is_upright = rise > flat + (far << (TANGENT_BITS + 1))
    level = (length > beside(0, -1)) & (length >= beside(0, 1))
    upright = (length > beside(-1, 0)) & (length >= beside(1, 0))
    falling = (length > beside(-1, -1)) & (length > beside(1, 1))
    rising = (length > beside(-1, 1)) & (length > beside(1, -1))
    is_rising = (across ^ down) < 0
    # Logic of whole arrays: choosing place by place is ten times slower.
    slanting = (is_rising & rising) | (~is_rising & falling)
    largest: NDArray[np.bool_] = (is_level & level) | (is_upright & upright)
    largest |= slanting & ~(is_level | is_upright)
    return largest
