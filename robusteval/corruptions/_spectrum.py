"""Filtering planes of images with a large symmetric kernel, by Fourier transforms."""

import numpy as np
from numpy.typing import NDArray
from scipy import fft


def spectrum(kernel: NDArray[np.float64], shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return the transform of ``kernel`` (2 h + 1, 2 h + 1) on a periodic grid of ``shape``.

    It is real, because the kernel is symmetric in both axes and its centre lies at the origin.
    """
    half = kernel.shape[0] // 2
    grid = np.zeros(shape)
    grid[: kernel.shape[0], : kernel.shape[1]] = kernel
    transform = fft.fft2(np.roll(grid, (-half, -half), axis=(0, 1)))
    return np.ascontiguousarray(transform.real)


def grid_shape(height: int, width: int, half: int) -> tuple[int, int]:
    """Return a grid that holds an image with a border of ``half`` and is fast to transform."""
    return fft.next_fast_len(height + 2 * half), fft.next_fast_len(width + 2 * half)


def filtered(
    planes: NDArray[np.float64], kernel_spectrum: NDArray[np.float64], half: int
) -> NDArray[np.float64]:
    """Return ``planes`` (C, H, W) of one image filtered, the border mirrored about its pixels.

    ``kernel_spectrum`` is that of a kernel of ``half`` width on a grid of ``grid_shape``. Two
    planes travel as one complex one, which costs as much as a real one does.
    """
    out = np.empty_like(planes)
    for first in range(0, len(planes) - 1, 2):
        pair = np.zeros(kernel_spectrum.shape, np.complex128)
        _place(pair.real, planes[first], half)
        _place(pair.imag, planes[first + 1], half)
        transform = fft.fft2(pair, overwrite_x=True)
        transform *= kernel_spectrum
        pair = fft.ifft2(transform, overwrite_x=True)
        out[first] = _inside(pair.real, planes, half)
        out[first + 1] = _inside(pair.imag, planes, half)
    if len(planes) % 2:
        plane = np.zeros(kernel_spectrum.shape)
        _place(plane, planes[-1], half)
        transform = fft.rfft2(plane)
        transform *= kernel_spectrum[:, : transform.shape[1]]
        out[-1] = _inside(fft.irfft2(transform, plane.shape, overwrite_x=True), planes, half)
    return out


def _inside(
    grid: NDArray[np.float64], planes: NDArray[np.float64], half: int
) -> NDArray[np.float64]:
    return grid[half : half + planes.shape[1], half : half + planes.shape[2]]


def _place(grid: NDArray[np.float64], plane: NDArray[np.float64], half: int) -> None:
    """Write ``plane`` (H, W) with its mirrored border of ``half`` into the corner of ``grid``."""
    bottom, right = half + plane.shape[0], half + plane.shape[1]
    grid[half:bottom, half:right] = plane
    for i in range(1, half + 1):
        grid[half - i, half:right] = plane[i]
        grid[bottom - 1 + i, half:right] = plane[-1 - i]
    for i in range(1, half + 1):
        grid[: bottom + half, half - i] = grid[: bottom + half, half + i]
        grid[: bottom + half, right - 1 + i] = grid[: bottom + half, right - 1 - i]
