"""Motion blur: the camera moves while the shutter is open."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._motion import moved
from robusteval.corruptions._scratch import Scratch


def motion_blur(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) blurred along lines between 45 degrees up and down.

    ``constant`` is the radius, half the length of the line, and the standard deviation of the
    weights along it, both in pixels.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    radius, sigma = constant
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        degrees = generator.uniform(-45, 45)
        out[:] = moved(image, radius=int(radius), sigma=sigma, degrees=degrees, scratch=scratch)
    return corrupted
