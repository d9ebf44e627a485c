"""Translate: the scene wanders from left to right."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def translate(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    pixels: Sequence[int],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) moved right by each of ``pixels``, (N, T, H, W, C).

    Negative ones move them left. Black comes in from beyond the image. Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    made = np.zeros((len(images), len(pixels), *images.shape[1:]), np.uint8)
    width = images.shape[2]
    for t, shift in enumerate(pixels):
        made[:, t, :, max(0, shift) : width + min(0, shift)] = images[
            :, :, max(0, -shift) : width - max(0, shift)
        ]
    return made
