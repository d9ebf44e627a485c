"""Bringing published images to the size that a model takes."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def resized(images: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) uint8 as (N, side, side, C), resized bicubic by Pillow."""
    n, _, _, channels = images.shape
    out = np.empty((n, side, side, channels), np.uint8)
    for image, place in zip(images, out, strict=True):
        picture = Image.fromarray(image[..., 0] if channels == 1 else image)
        small = picture.resize((side, side), Image.Resampling.BICUBIC)
        place[:] = np.asarray(small).reshape(place.shape)
    return out
