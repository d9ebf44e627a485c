"""Glass blur: pixels displaced at random, as behind frosted glass."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._blur import blurred
from robusteval.corruptions._chains import displaced
from robusteval.corruptions._scratch import Scratch


def glass_blur(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) blurred, displaced pixel by pixel, and blurred again.

    ``constant`` is the standard deviation of the blur in pixels, the largest displacement of a
    pixel d (from -d to d - 1 along each axis) and how many times all pixels are displaced.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness. Grey images go the
    way of colour ones; MNIST-C has a glass blur of its own.
    """
    sigma, reach, times = constant[0], int(constant[1]), int(constant[2])
    height, width, channels = images.shape[1:]
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    # Four bytes a pixel, so that a colour is moved as one number.
    moved = np.zeros((height, width, 4), np.uint8)
    colours = moved.view(np.uint32).reshape(-1)
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        moved[..., :channels] = blurred(image, sigma, scratch).transpose(0, 2, 1)
        source = displaced(height, width, reach, generator)
        for _ in range(times - 1):
            source = source.take(displaced(height, width, reach, generator))
        colours[:] = colours.take(source)
        out[:] = blurred(moved[..., :channels], sigma, scratch).transpose(0, 2, 1)
    return corrupted
