"""Handwritten digits: a novel set that comes with scikit-learn, without a download."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def digits(shape: tuple[int, int, int]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the 1,797 digits as images (N, H, W, C) of ``shape`` (H, W, C), and their ids (N,).

    The originals are 8 x 8 grey images with values 0 to 16. They are scaled to 0 to 255, resized
    to H x W, and repeated over C channels. The id is the place in scikit-learn's set, from 0.
    The resizing is bilinear: unlike bicubic it does not overshoot, so no rims appear beside the
    strokes and no value leaves the range of the original.

    Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI, test part.
    """
    from sklearn.datasets import load_digits  # takes a second, and only this set needs it

    height, width, channels = shape
    levels = np.rint(load_digits().images * (255.0 / 16.0)).astype(np.uint8)
    images = np.empty((len(levels), height, width, channels), dtype=np.uint8)
    for level, image in zip(levels, images, strict=True):
        picture = Image.fromarray(level).resize((width, height), Image.Resampling.BILINEAR)
        image[:] = np.asarray(picture)[:, :, np.newaxis]
    return images, np.arange(len(images), dtype=np.int64)
