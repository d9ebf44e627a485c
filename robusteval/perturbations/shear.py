"""Shear: upright lines lean over."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.perturbations._centred import Matrix, about_centre


def shear(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    degrees: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with upright lines at ``degrees``, (N, T, H, W, C).

    A line that goes down leans to the left by the angle and keeps its length, so the image gets
    lower by the cosine: the shear of torchvision when the data were published, whose version is
    not recorded; later ones keep the height. Black comes in from beyond the image. Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return about_centre(images, [_back(angle) for angle in degrees])


def _back(degrees: float) -> Matrix:
    angle = math.radians(degrees)
    return 1.0, math.tan(angle), 0.0, 1 / math.cos(angle)
