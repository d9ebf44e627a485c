"""Snow: flakes in motion, and a whitened scene."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import truncated, unit
from robusteval.corruptions._motion import moved
from robusteval.corruptions._zoom import centre_taps

GREY = np.array([0.299, 0.587, 0.114], np.float32)  # of red, green and blue


def snow(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) whitened and with flakes, which are the same in each channel.

    ``constant`` is the mean and the standard deviation of the flakes' brightness (scale 0 to 1),
    how far they are enlarged, below which brightness there is none, the radius and the standard
    deviation of their motion in pixels, and the weight of the image; the rest is its whitened
    copy. Grey images are their own grey.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    weight = np.float32(constant[-1])
    rest = np.float32(1 - constant[-1])
    corrupted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        flakes = _flakes(image.shape[0], image.shape[1], constant[:-1], generator)
        # Planes, because loops over a last axis of 3 are several times slower.
        planes = np.ascontiguousarray(np.moveaxis(image, -1, 0))
        x = np.divide(planes, np.float32(255), dtype=np.float32)  # as published
        white = np.maximum(x, _grey(x) * np.float32(1.5) + np.float32(0.5))
        whitened = weight * x + rest * white
        result = truncated(whitened + flakes + flakes[::-1, ::-1])
        for channel, plane in enumerate(result):
            out[..., channel] = plane
    return corrupted


def _grey(planes: NDArray[np.float32]) -> NDArray[np.float32]:
    grey: NDArray[np.float32] = planes[0]
    if len(planes) == 3:
        grey = planes[0] * GREY[0] + planes[1] * GREY[1] + planes[2] * GREY[2]
    return grey


def _flakes(
    height: int, width: int, constant: tuple[float, ...], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return flakes (H, W), scale 0 to 1, blurred along a line between 45 degrees beside down."""
    mean, sd, factor, threshold, radius, sigma = constant
    noise = generator.normal(mean, sd, (height, width))
    if factor != 1:
        noise = _enlarged(noise, factor)
    noise[noise < threshold] = 0.0
    motion = generator.uniform(-135, -45)
    still = truncated(noise)[..., np.newaxis]
    return unit(moved(still, radius=int(radius), sigma=sigma, degrees=motion)[..., 0])


def _enlarged(x: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    """Return the centre of ``x`` (H, W) enlarged to the size of ``x``."""
    low, share = centre_taps(x.shape[0], factor)
    share = share[:, np.newaxis]
    x = x[low] * (1.0 - share) + x[low + 1] * share
    low, share = centre_taps(x.shape[1], factor)
    return x.take(low, 1) * (1.0 - share) + x.take(low + 1, 1) * share
