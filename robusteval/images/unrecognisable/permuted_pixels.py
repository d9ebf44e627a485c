"""Permuted pixels: the colours of an image without its shapes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def permuted_pixels(
    images: NDArray[np.uint8], generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with the pixels of each one in random order.

    Every image has its own permutation, drawn from ``generators[i]``; the channels of a pixel
    move together, so the histogram of colours is kept. The paper leaves both open.

    Source: arXiv:2308.04137, synthetic set of test images with permuted pixels.
    """
    height, width, channels = images.shape[1:]
    permuted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, permuted, generators, strict=True):
        order = generator.permutation(height * width)
        out[:] = image.reshape(-1, channels)[order].reshape(out.shape)
    return permuted
