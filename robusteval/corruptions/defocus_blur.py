"""Defocus blur: a point becomes the disc of a lens."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._band import Band, band
from robusteval.corruptions._discs import disc_size, disc_sums
from robusteval.corruptions._levels import truncated, unit
from robusteval.corruptions._scratch import Scratch
from robusteval.corruptions._spectrum import filtered, grid_shape, spectrum

SMALLEST_GRID = 8  # half the width of the grid that discs up to this radius are drawn on


def defocus_blur(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) filtered with a disc; draws nothing.

    ``constant`` is the radius of the disc and the standard deviation of the normal kernel that
    softens its edge, both in pixels. Beyond the border the image is mirrored about its outermost
    pixels.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    radius, softening = constant
    corrupted = np.empty_like(images, order="C")
    blurred = _by_runs if radius < SMALLEST_GRID else _by_spectrum
    scratch = Scratch()
    for image, out in zip(images, corrupted, strict=True):
        blurred(image, out, radius, softening, scratch)
    return corrupted


def _by_runs(
    image: NDArray[np.uint8],
    out: NDArray[np.uint8],
    radius: float,
    softening: float,
    scratch: Scratch,
) -> None:
    """Write ``image`` filtered with a disc that lies inside its grid to ``out``; both (H, W, C).

    Its weights are the published ones but for the rounding of each to float32.
    """
    height, width, channels = image.shape
    border = int(radius) + 1
    x = np.pad(image.transpose(0, 2, 1), ((border,) * 2, (0, 0), (border,) * 2), mode="reflect")
    sums = disc_sums(x, radius, scratch)
    softer = scratch.array("sums as float64", sums.shape, np.float64)
    softer[:] = sums
    rows = scratch.array("rows", (height, channels, width + 2), np.float64)
    _softening(height, radius, softening).along_rows(
        softer.reshape(height + 2, -1), rows.reshape(height, -1)
    )
    result = scratch.array("result", (height, channels, width), np.float64)
    _softening(width, radius, softening).along_columns(
        rows.reshape(-1, width + 2), result.reshape(-1, width)
    )
    out.transpose(0, 2, 1)[:] = result.astype(np.uint8)  # at most 255.0001: nothing to clip


@lru_cache(maxsize=16)
def _softening(side: int, radius: float, softening: float) -> Band:
    """Return the filter from ``side`` + 2 sums over a disc to ``side`` means over a softer one."""
    taps = _normal_taps(1, softening).astype(np.float64)
    # Flat areas show on which side of 1 the published weights' sum is, so it is kept.
    total = disc(radius, softening).sum(dtype=np.float64) / disc_size(radius)
    taps *= np.sqrt(total) / taps.sum()
    matrix = np.zeros((side, side + 2))
    for i, tap in enumerate(taps):
        matrix[np.arange(side), np.arange(side) + i] = tap
    return band(matrix)


def _by_spectrum(
    image: NDArray[np.uint8],
    out: NDArray[np.uint8],
    radius: float,
    softening: float,
    scratch: Scratch,
) -> None:
    """Write ``image`` filtered with any disc to ``out``; both (H, W, C)."""
    half, kernel_spectrum = _disc_spectrum(radius, softening, *image.shape[:2])
    planes = unit(np.ascontiguousarray(np.moveaxis(image, -1, 0)))
    result = truncated(filtered(planes, kernel_spectrum, half))
    for channel, plane in enumerate(result):
        out[..., channel] = plane


@lru_cache(maxsize=8)
def _disc_spectrum(
    radius: float, softening: float, height: int, width: int
) -> tuple[int, NDArray[np.float64]]:
    kernel = disc(radius, softening).astype(np.float64)
    half = kernel.shape[0] // 2
    values = spectrum(kernel, grid_shape(height, width, half))
    values.flags.writeable = False
    return half, values


def disc(radius: float, softening: float) -> NDArray[np.float32]:
    """Return the kernel (2 h + 1, 2 h + 1): a disc of sum 1, softened, without its empty rim.

    In float32 as published, because whether the rounded sum is above or below 1 decides what
    truncation makes of flat areas. At radii that are whole and reach the edge of the grid the
    softening mirrors the disc's rim there, so the sum is up to 1.013: kept as published.
    """
    half = SMALLEST_GRID if radius <= SMALLEST_GRID else int(radius)
    steps = np.arange(-half, half + 1)
    inside = steps[:, np.newaxis] ** 2 + steps**2 <= radius**2
    kernel = inside.astype(np.float32)
    kernel /= kernel.sum()
    taps = _normal_taps(1 if radius <= SMALLEST_GRID else 2, softening)
    for axis in (1, 0):
        kernel = _softened(kernel, taps, axis)
    seen = np.flatnonzero(kernel[half] > 1e-12)  # less is far below the rounding of the sum
    return np.ascontiguousarray(kernel[seen[0] : seen[-1] + 1, seen[0] : seen[-1] + 1])


def _normal_taps(half: int, sigma: float) -> NDArray[np.float32]:
    weights = np.exp(-0.5 * (np.arange(-half, half + 1) / sigma) ** 2).astype(np.float32)
    taps: NDArray[np.float32] = (weights / weights.sum(dtype=np.float64)).astype(np.float32)
    return taps


def _softened(
    kernel: NDArray[np.float32], taps: NDArray[np.float32], axis: int
) -> NDArray[np.float32]:
    """Return ``kernel`` filtered along ``axis``, mirrored about its outermost values."""
    half, length = len(taps) // 2, kernel.shape[axis]
    mirrored = np.pad(kernel, half, mode="reflect")
    other = slice(half, half + length)
    total = np.zeros_like(kernel)
    for i, tap in enumerate(taps):
        along = slice(i, i + length)
        total += tap * (mirrored[other, along] if axis == 1 else mirrored[along, other])
    return total
