"""Shear: writing that leans to one side."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import rounded
from robusteval.corruptions._warp import signs, warped


def shear(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) sheared along their rows, to either side.

    ``constant`` is the angle of the shear in radians; columns are turned by it and keep their
    length, so the image gets higher, as the matrix of scikit-image was until 2019.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    sheared = np.empty_like(images, order="C")
    side = signs(generators)[:, 0]
    for sign in (-1, 1):
        angle = sign * constant
        matrix = ((1.0, -math.sin(angle)), (0.0, math.cos(angle)))
        sheared[side == sign] = rounded(warped(images[side == sign], matrix))
    return sheared
