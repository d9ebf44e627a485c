"""Elastic transform: the image tilted, and stretched here and there."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from robusteval.corruptions._affine import warped
from robusteval.corruptions._band import Band, normal_band
from robusteval.corruptions._displace import displaced
from robusteval.corruptions._draws import uniform
from robusteval.corruptions._scratch import Scratch

TRUNCATE = 3.0  # the smoothing kernel's reach in standard deviations
WIDE = 0.1  # of the image; kernels that are wider take the cosine transform


def elastic_transform(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) warped by three moved points, then pixel by pixel.

    ``constant`` is the factor on the smoothed noise that displaces pixels, the standard deviation
    of the kernel that smooths it, and how far the three points move at most along each axis; all
    in pixels, so they belong to the size of a family's images.

    Source: Hendrycks and Dietterich, arXiv:1903.12261, after Simard et al. 2003;
    hendrycks/robustness.
    """
    factor, sigma, jitter = constant
    height, width = images.shape[1:3]
    centre = np.array([width // 2, height // 2], np.float32)
    third = min(height, width) // 3
    points = centre + np.array([[third, third], [third, -third], [-third, -third]], np.float32)
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        x = np.divide(image, np.float32(255), dtype=np.float32, order="C")  # as published
        moves = generator.uniform(-jitter, jitter, points.shape).astype(np.float32)
        x = warped(x, points, points + moves)
        if factor:
            noise = uniform(generator, (2, height, width), np.float64)
            noise *= 2.0
            noise -= 1.0
            across, down = smoothed(noise, sigma, scratch)
            across *= factor
            down *= factor
            x = displaced(x, down.astype(np.float32), across.astype(np.float32))
        np.clip(x, 0, 1, out=x)
        x *= np.float32(255)
        out[:] = x
    return corrupted


def smoothed(noise: NDArray[np.float64], sigma: float, scratch: Scratch) -> NDArray[np.float64]:
    """Return ``noise`` (2, H, W) under a normal kernel cut at 3 ``sigma``, the border mirrored.

    In scratch memory, or that of ``noise``.
    """
    height, width = noise.shape[1:]
    if sigma > WIDE * min(height, width):
        return _smoothed_by_cosines(noise, sigma)
    x, rows = (scratch.array(name, (height, 2, width), np.float64) for name in ("x", "rows"))
    x[:] = noise.transpose(1, 0, 2)
    _band(height, sigma).along_rows(x.reshape(height, -1), rows.reshape(height, -1))
    _band(width, sigma).along_columns(rows.reshape(-1, width), x.reshape(-1, width))
    return x.transpose(1, 0, 2)


@lru_cache(maxsize=16)
def _band(side: int, sigma: float) -> Band:
    return normal_band(side, sigma, truncate=TRUNCATE, mode="symmetric")


def _smoothed_by_cosines(noise: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return the same by the cosine transform, which mirrors in the same way.

    There the kernel is a product: no dearer where it is longer than the image.
    """
    height, width = noise.shape[1:]
    transform = fft.dctn(noise, axes=(1, 2), overwrite_x=True)
    transform *= _response(height, sigma)[:, np.newaxis]
    transform *= _response(width, sigma)
    smooth: NDArray[np.float64] = fft.idctn(transform, axes=(1, 2), overwrite_x=True)
    return smooth


@lru_cache(maxsize=8)
def _response(side: int, sigma: float) -> NDArray[np.float64]:
    """Return the factor of the kernel on each of ``side`` cosines."""
    steps = np.arange(int(TRUNCATE * sigma + 0.5) + 1)
    weights = np.exp(-0.5 * (steps / sigma) ** 2)
    weights[1:] *= 2.0
    weights /= weights.sum()
    response: NDArray[np.float64] = (
        np.cos(np.pi / side * np.outer(np.arange(side), steps)) @ weights
    )
    response.flags.writeable = False
    return response
