"""Rotate: the camera rolls."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.perturbations._centred import Matrix, about_centre


def rotate(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    degrees: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) turned clockwise by ``degrees``, (N, T, H, W, C).

    Black comes in from beyond the image. Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return about_centre(images, [_back(angle) for angle in degrees])


def _back(degrees: float) -> Matrix:
    sin, cos = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return cos, sin, -sin, cos
