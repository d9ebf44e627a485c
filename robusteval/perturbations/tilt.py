"""Tilt: the picture turns about its two axes, in perspective."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.perturbations._frames import sequences
from robusteval.perturbations._perspective import in_perspective


def tilt(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    degrees: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) tilted by each of ``degrees``, (N, T, H, W, C).

    Each angle is that about the upright axis and, after it, about the level one. The picture is
    seen from as far away as its diagonal is long. Black comes in from beyond the image.
    Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    height, width = images.shape[1:3]
    return sequences(
        images,
        len(degrees),
        lambda t: in_perspective(images, projection(height, width, math.radians(degrees[t]))),
    )


def projection(height: int, width: int, angle: float) -> NDArray[np.float64]:
    """Return the matrix (3, 3) from a pixel of the picture to where it is seen, homogeneous."""
    distance = math.hypot(width, height)
    sin, cos = math.sin(angle), math.cos(angle)
    # The picture hangs one pixel behind the axes it turns about, as published.
    level = np.array([[1.0, 0.0, -width / 2], [0.0, 1.0, -height / 2], [0.0, 0.0, 1.0]])
    upright_axis = np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]])
    level_axis = np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])
    camera = np.array([[distance, 0.0, width / 2], [0.0, distance, height / 2], [0.0, 0.0, 1.0]])
    in_space = level_axis @ upright_axis @ level
    in_space[2, 2] += distance
    seen: NDArray[np.float64] = camera @ in_space
    return seen
