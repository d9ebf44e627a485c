"""Translate: the image moved into a corner."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._warp import signs


def translate(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) moved towards one of the four corners, in black.

    ``constant`` is by how many pixels along each axis, a whole number.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    step = int(constant)
    height, width = images.shape[1:3]
    bordered = np.pad(images, ((0, 0), (step, step), (step, step), (0, 0)))
    moved = np.empty_like(images, order="C")
    for image, out, (across, down) in zip(
        bordered, moved, signs(generators, 2) * step + step, strict=True
    ):
        out[:] = image[down : down + height, across : across + width]
    return moved
