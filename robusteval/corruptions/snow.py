"""Snow: flakes in motion, and a whitened scene."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import is_legacy, normal
from robusteval.corruptions._levels import truncated, unit
from robusteval.corruptions._motion import moved
from robusteval.corruptions._scratch import Scratch
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
    height, width, channels = images.shape[1:]
    weight = np.float32(constant[-1])
    rest = np.float32(1 - constant[-1])
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    # Planes of float32 as published; loops over a last axis of 3 are several times slower.
    x = np.empty((channels, height, width), np.float32)
    white, plane, light = np.empty_like(x[0]), np.empty_like(x[0]), np.empty((height, width))
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        flakes = _flakes(height, width, constant[:-1], generator, scratch)
        np.divide(np.moveaxis(image, -1, 0), np.float32(255), out=x)
        white[:] = x[0]
        if channels == 3:
            white *= GREY[0]
            for values, share in zip(x[1:], GREY[1:], strict=True):
                white += np.multiply(values, share, out=plane)
        white *= np.float32(1.5)
        white += np.float32(0.5)
        for channel, values in enumerate(x):
            np.maximum(values, white, out=plane)
            plane *= rest
            values *= weight
            values += plane
            np.add(values, flakes, out=light)
            light += flakes[::-1, ::-1]
            out[..., channel] = truncated(light)
    return corrupted


def _flakes(
    height: int,
    width: int,
    constant: tuple[float, ...],
    generator: np.random.Generator,
    scratch: Scratch,
) -> NDArray[np.float64]:
    """Return flakes (H, W), scale 0 to 1, blurred along a line between 45 degrees beside down."""
    mean, sd, factor, threshold, radius, sigma = constant
    if factor == 1:
        noise = normal(generator, mean, sd, (height, width))
    else:
        noise = _enlarged_noise(height, width, mean, sd, factor, generator)
    noise[noise < threshold] = 0.0
    still = truncated(noise)[..., np.newaxis]
    degrees = generator.uniform(-135, -45)
    flakes = moved(still, radius=int(radius), sigma=sigma, degrees=degrees, scratch=scratch)
    return unit(flakes[..., 0])


def _enlarged_noise(
    height: int,
    width: int,
    mean: float,
    sd: float,
    factor: float,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Return the centre of normal noise (H, W) enlarged to its whole size."""
    row, row_share = centre_taps(height, factor)
    column, column_share = centre_taps(width, factor)
    seen = (slice(row[0], row[-1] + 2), slice(column[0], column[-1] + 2))
    if is_legacy(generator):
        x = generator.normal(mean, sd, (height, width))[seen]
    else:  # numbers that are not seen need not be drawn, because all are independent
        x = normal(generator, mean, sd, (row[-1] + 2 - row[0], column[-1] + 2 - column[0]))
    row, column, row_share = row - row[0], column - column[0], row_share[:, np.newaxis]
    x = x.take(column, 1) * (1.0 - column_share) + x.take(column + 1, 1) * column_share
    enlarged: NDArray[np.float64] = x[row] * (1.0 - row_share) + x[row + 1] * row_share
    return enlarged
