"""Contrast: every channel drawn towards its mean."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import LEVELS, looked_up, truncated


def contrast(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with each channel scaled about its mean; draws nothing.

    ``constant`` is the factor: 1 keeps the image, 0 leaves the mean.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    n, height, width, channels = images.shape
    sums = images.reshape(n, height, width * channels).sum(axis=1, dtype=np.uint32)
    means = sums.reshape(n, width, channels).sum(axis=1) / (255.0 * height * width)
    corrupted = np.empty_like(images, order="C")
    for image, out, image_means in zip(images, corrupted, means, strict=True):
        for channel, mean in enumerate(image_means):
            table = truncated((LEVELS - mean) * constant + mean)
            out[..., channel] = looked_up(image[..., channel], table)
    return corrupted
