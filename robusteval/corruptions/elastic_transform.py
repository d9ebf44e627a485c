"""Elastic transform: the image tilted, and stretched here and there."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from robusteval.corruptions._affine import warped
from robusteval.corruptions._displace import displaced


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
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        # Planes, because loops over a last axis of 3 are several times slower.
        planes = np.divide(np.moveaxis(image, -1, 0), np.float32(255), dtype=np.float32, order="C")
        moves = generator.uniform(-jitter, jitter, points.shape).astype(np.float32)
        planes = warped(planes, points, points + moves)
        if factor:
            noise = generator.uniform(-1, 1, (2, height, width))
            across, down = (_smoothed(noise, sigma) * factor).astype(np.float32)
            planes = displaced(planes, down, across)
        planes = np.clip(planes, 0, 1) * np.float32(255)
        for channel, plane in enumerate(planes.astype(np.uint8)):
            out[..., channel] = plane
    return corrupted


def _smoothed(noise: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return ``noise`` (2, H, W) under a normal kernel cut at 3 ``sigma``, mirrored at the edges.

    The cosine transform mirrors in the same way, so there the kernel is a product: no dearer where
    it is longer than the image.
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
    steps = np.arange(int(3.0 * sigma + 0.5) + 1)
    weights = np.exp(-0.5 * (steps / sigma) ** 2)
    weights[1:] *= 2.0
    weights /= weights.sum()
    response: NDArray[np.float64] = (
        np.cos(np.pi / side * np.outer(np.arange(side), steps)) @ weights
    )
    response.flags.writeable = False
    return response
