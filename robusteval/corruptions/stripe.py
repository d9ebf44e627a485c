"""Stripe: the sides of the image inverted."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def stripe(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with a stripe at either side inverted; draws nothing.

    ``constant`` is the width of each stripe as a share of the image's, cut to whole pixels.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    wide = int(images.shape[2] * constant)
    striped = images.copy(order="C")
    for side in (slice(0, wide), slice(images.shape[2] - wide, None)):
        striped[:, :, side] = 255 - striped[:, :, side]
    return striped
