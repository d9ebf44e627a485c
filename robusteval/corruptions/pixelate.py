"""Pixelate: a small image shown large."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BOX = Image.Resampling.BOX


def pixelate(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) shrunk and enlarged again, both by box; draws nothing.

    ``constant`` is the scale of the small image's sides, which are cut to whole pixels.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    height, width, channels = images.shape[1:]
    small = (int(height * constant), int(width * constant))
    rows, columns = _nearest(height, small[0]), _nearest(width, small[1])
    corrupted = np.empty_like(images, order="C")
    for image, out in zip(images, corrupted, strict=True):
        picture = Image.fromarray(image[..., 0] if channels == 1 else image)
        pixels = np.asarray(picture.resize(small[::-1], BOX)).reshape(*small, channels)
        # All lie inside; "clip" is just the fastest.
        pixels.take(columns, axis=1).take(rows, axis=0, out=out, mode="clip")
    return corrupted


def _nearest(side: int, small: int) -> NDArray[np.intp]:
    """Return which of ``small`` pixels each of ``side`` shows: the one around its centre.

    That is what enlarging by box amounts to, with its rounding where centres meet borders.
    """
    return ((np.arange(side) + 0.5) * (small / side)).astype(np.intp)
