"""Scale: the scene comes nearer."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.perturbations._centred import about_centre


def scale(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    factors: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) enlarged by each of ``factors``, (N, T, H, W, C).

    Below 1 they shrink, and black comes in from beyond the image. Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return about_centre(images, [(1 / factor, 0.0, 0.0, 1 / factor) for factor in factors])
