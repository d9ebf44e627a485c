"""Rotate: the image turned about its centre."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import rounded
from robusteval.corruptions._warp import signs, warped


def rotate(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) turned to either side, with black where nothing was.

    ``constant`` is the angle in radians.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    turned = np.empty_like(images, order="C")
    side = signs(generators)[:, 0]
    for sign in (-1, 1):
        sine, cosine = math.sin(sign * constant), math.cos(constant)
        matrix = ((cosine, -sine), (sine, cosine))
        turned[side == sign] = rounded(warped(images[side == sign], matrix))
    return turned
