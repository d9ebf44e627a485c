"""Drops of water: a layer of noise, lit as if it had depth."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._canny import canny
from robusteval.corruptions._chamfer import chamfer_distances

WEAK_EDGE, STRONG_EDGE = 50, 150
REACH = 20  # pixels from an edge up to which water gets its shape from it


def water(noise: NDArray[np.float64], strength: np.float32) -> NDArray[np.float32]:
    """Return how much water (N, H, W) there is where ``noise`` (scale 0 to 1) is not 0.

    Each image has ``strength`` at most, and 0 everywhere where there is no noise.
    """
    # By way of whole numbers: levels above 255, which are rare, start again at 0 as published.
    depth = (noise * 255.0).astype(np.int32).astype(np.uint8)
    near = chamfer_distances(canny(depth, WEAK_EDGE, STRONG_EDGE), REACH)
    shape = _equalised((_sums_of_nine(near.astype(np.float64)) * (1 / 9)).astype(np.uint8))
    light = (_sums_of_nine(_embossed(shape)) + 4) // 9  # rounded
    amount: NDArray[np.float32] = depth.astype(np.float32) * light.astype(np.float32)
    largest = amount.max(axis=(1, 2), keepdims=True)
    amount /= np.where(largest > 0, largest, np.float32(1))
    amount *= strength
    return amount


def _mirrored(x: NDArray[Any]) -> NDArray[Any]:
    return np.pad(x, ((0, 0), (1, 1), (1, 1)), mode="reflect")


def _sums_of_nine(x: NDArray[Any]) -> NDArray[Any]:
    """Return the sums over 3 x 3 pixels of ``x`` (N, H, W), the border mirrored."""
    x = _mirrored(x)
    x = x[:, :-2] + x[:, 1:-1] + x[:, 2:]
    total: NDArray[Any] = x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]
    return total


def _equalised(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W) with their levels spread evenly over 0 to 255, each by itself.

    Source: equalizeHist of OpenCV. The lowest level there is becomes 0, and a single one stays.
    """
    equalised = np.empty_like(images)
    for image, out in zip(images, equalised, strict=True):
        counts = np.bincount(image.ravel(), minlength=256)
        lowest = image.min()
        above = image.size - counts[lowest]
        if above == 0:
            out[:] = image
            continue
        counts[lowest] = 0
        scale = np.float32(255) / np.float32(above)
        out[:] = np.rint(np.cumsum(counts).astype(np.float32) * scale).astype(np.uint8)[image]
    return equalised


def _embossed(images: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Return ``images`` (N, H, W) as a relief, clipped to 0 to 255, the border mirrored.

    The kernel is ((-2, -1, 0), (-1, 1, 1), (0, 1, 2)).
    """
    x: NDArray[np.int16] = _mirrored(images.astype(np.int16))
    relief: NDArray[np.int16] = x[:, 1:-1, 1:-1] + 2 * (x[:, 2:, 2:] - x[:, :-2, :-2])
    relief += x[:, 1:-1, 2:] - x[:, 1:-1, :-2]
    relief += x[:, 2:, 1:-1] - x[:, :-2, 1:-1]
    return np.clip(relief, 0, 255, out=relief)
