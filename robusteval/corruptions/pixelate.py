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
    small = (int(width * constant), int(height * constant))
    corrupted = np.empty_like(images, order="C")
    for image, out in zip(images, corrupted, strict=True):
        picture = Image.fromarray(image[..., 0] if channels == 1 else image)
        large = picture.resize(small, BOX).resize((width, height), BOX)
        out[:] = np.asarray(large).reshape(out.shape)
    return corrupted
