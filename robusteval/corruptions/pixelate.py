"""Pixelate: a small image shown large."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BOX, NEAREST = Image.Resampling.BOX, Image.Resampling.NEAREST


def pixelate(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) shrunk and enlarged again, both by box; draws nothing.

    ``constant`` is the scale of the small image's sides, which are cut to whole pixels.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    height, width, channels = images.shape[1:]
    small = (int(height * constant), int(width * constant))
    same = _same(height, small[0]) and _same(width, small[1])
    corrupted = np.empty_like(images, order="C")
    for image, out in zip(images, corrupted, strict=True):
        picture = Image.fromarray(image[..., 0] if channels == 1 else image)
        picture = picture.resize(small[::-1], BOX).resize((width, height), NEAREST if same else BOX)
        out[:] = np.asarray(picture).reshape(out.shape)
    return corrupted


@lru_cache(maxsize=64)
def _same(side: int, small: int) -> bool:
    """Return whether ``side`` pixels show the same of ``small`` by NEAREST, which is fast, and BOX.

    Where a centre meets a border, the two may round to different sides of it.
    """
    ramp = Image.fromarray(np.arange(small, dtype=np.float32)[None])
    near, box = (np.asarray(ramp.resize((side, 1), by)) for by in (NEAREST, BOX))
    return np.array_equal(near, box)
