"""Gaussian blur: out of focus, without the disc of a lens."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._blur import TRUNCATE, blurred
from robusteval.corruptions._scratch import Scratch


def gaussian_blur(
    images: NDArray[np.uint8],
    constant: float,
    generators: Sequence[np.random.Generator],
    *,
    truncate: float = TRUNCATE,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) blurred along height and width; draws nothing.

    ``constant`` is the standard deviation of the kernel in pixels; the kernel is cut at
    ``truncate`` of them, and beyond the border the nearest pixel is repeated.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    for image, out in zip(images, corrupted, strict=True):
        out[:] = blurred(image, constant, scratch, truncate).transpose(0, 2, 1)
    return corrupted
