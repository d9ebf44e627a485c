"""Scale: the image made smaller."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import rounded
from robusteval.corruptions._warp import warped


def scale(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) shrunk about their centre, in black; draws nothing.

    ``constant`` is the length of what was of length 1. Linear between pixels, without smoothing
    before, so thin lines may break.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    return rounded(warped(images, ((1 / constant, 0.0), (0.0, 1 / constant))))
