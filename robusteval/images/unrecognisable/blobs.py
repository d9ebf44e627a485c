"""Blobs: soft spots on black."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from robusteval.images.unrecognisable._rounding import rounded

PROBABILITY = 0.7
THRESHOLD = 0.75
SIDES = (32.0, 64.0)
SIGMAS = (1.5, 2.0)


def sigma(side: int) -> float:
    """Return the blur in pixels for images of ``side`` pixels (the shorter one).

    Published are 1.5 at 32 and 2 at 64 pixels. Between them it is linear, beyond them it stays:
    blurring evens the image out towards 0.7, and a sigma that grew with the side would leave
    hardly a value above the threshold (at 224 pixels 0.2% of them, instead of 11%).
    """
    return float(np.interp(side, SIDES, SIGMAS))


def blobs(
    images: NDArray[np.uint8], generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return images of blobs, shaped like ``images`` (N, H, W, C).

    Each value is 1 with probability 0.7 and else 0; the image is blurred over height, width and,
    as in the original, channels, which ties the channels together; values below 0.75 become 0.
    So a value is 0 or at least 191 (0.75 of 255, rounded half to even). Of ``images`` only the
    shape is used; image ``i`` draws from ``generators[i]`` alone.

    Source: arXiv:2308.04137, synthetic set of blobs; recipe of hendrycks/outlier-exposure.
    """
    height, width = images.shape[1:3]
    blur = sigma(min(height, width))
    spots = np.empty_like(images, order="C")
    for out, generator in zip(spots, generators, strict=True):
        on = (generator.random(out.shape) < PROBABILITY).astype(np.float64)
        x = gaussian_filter(on, blur, mode="nearest", truncate=4.0)
        x[x < THRESHOLD] = 0.0
        out[:] = rounded(x)
    return spots
