"""Canny edges: white edges on black in place of the image."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import correlate1d, gaussian_filter, label

from robusteval.corruptions._levels import LUMA, unit

TOUCHING = np.zeros((3, 3, 3), np.bool_)  # neighbours in an image, corners too; not between images
TOUCHING[1] = True


def canny_edges(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return the edges of ``images`` (N, H, W, C), 255 on 0 in each channel; draws nothing.

    ``constant`` is the standard deviation in pixels of the kernel that smooths the image before,
    and two gradients (Sobel's, on the scale 0 to 1): a ridge above the first is an edge where it
    is connected to one above the second. Pixels of the border are none. Colours count by luma.

    Source: Canny 1986; Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c, which calls
    scikit-image.
    """
    sigma, low, high = constant
    x = unit(images)
    grey = x[..., 0] if images.shape[-1] == 1 else x @ LUMA
    smooth = _smoothed(grey, sigma)
    down, across = _gradient(smooth, 1, 2), _gradient(smooth, 2, 1)
    length = np.hypot(down, across)
    ridge = _on_ridge(length, down, across) & (length >= low)
    groups, count = label(ridge, TOUCHING)
    strong = np.zeros(count + 1, np.bool_)
    strong[groups[length >= high]] = True
    strong[0] = False  # what is no ridge
    edges = np.where(strong[groups], np.uint8(255), np.uint8(0))
    return np.repeat(edges[..., np.newaxis], images.shape[-1], axis=-1)


def _smoothed(grey: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return ``grey`` (N, H, W) under a normal kernel whose part outside the image is left out."""

    def blurred(x: NDArray[np.float64]) -> NDArray[np.float64]:
        widths = (0.0, sigma, sigma)
        smooth: NDArray[np.float64] = gaussian_filter(x, widths, mode="constant")
        return smooth

    inside = blurred(np.ones((1, *grey.shape[1:])))
    return blurred(grey) / (inside + np.finfo(np.float64).eps)


def _gradient(x: NDArray[np.float64], axis: int, other: int) -> NDArray[np.float64]:
    """Return Sobel's gradient along ``axis``, smoothed along ``other``; the border is repeated."""
    gradient: NDArray[np.float64] = correlate1d(correlate1d(x, [-1, 0, 1], axis), [1, 2, 1], other)
    return gradient


def _on_ridge(
    length: NDArray[np.float64], down: NDArray[np.float64], across: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return where ``length`` (N, H, W) is not below that one step up and down its gradient.

    The step ends on the square of the eight neighbours, between two of them.
    """
    steep = np.abs(down) >= np.abs(across)
    larger = np.where(steep, np.abs(down), np.abs(across))
    smaller = np.where(steep, np.abs(across), np.abs(down))
    share = smaller / np.where(larger > 0, larger, 1.0)
    falling = np.where(down * across < 0, -1, 1)  # whether the diagonal goes up
    height, width = length.shape[1:]
    bordered = np.pad(length, ((0, 0), (1, 1), (1, 1)))

    def at(row: int, column: int) -> NDArray[np.float64]:
        return bordered[:, 1 + row : 1 + row + height, 1 + column : 1 + column + width]

    ridge = length > 0
    for sign in (-1, 1):
        straight = np.where(steep, at(sign, 0), at(0, sign))
        # The diagonal neighbour on the side of the straight one.
        even, odd = at(sign, sign), np.where(steep, at(sign, -sign), at(-sign, sign))
        diagonal = np.where(falling > 0, even, odd)
        ridge &= diagonal * share + straight * (1.0 - share) <= length
    ridge[:, [0, -1]] = False
    ridge[:, :, [0, -1]] = False
    return ridge
