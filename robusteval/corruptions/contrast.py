"""Contrast: every channel drawn towards its mean."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import LEVELS, truncated, unit


def contrast(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with each channel scaled about its mean; draws nothing.

    ``constant`` is the factor: 1 keeps the image, 0 leaves the mean.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = np.empty_like(images, order="C")
    for image, out in zip(images, corrupted, strict=True):
        # The mean of one image at a time: the order of its sum, and so its last bit, stays the
        # published one whatever the batch.
        means = unit(image).mean(axis=(0, 1))
        for channel, mean in enumerate(means):
            out[..., channel] = truncated((LEVELS - mean) * constant + mean)[image[..., channel]]
    return corrupted
