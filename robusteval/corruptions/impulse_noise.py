"""Impulse noise: salt and pepper, the errors of bits."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def impulse_noise(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with some values, not whole pixels, made 255 or 0.

    ``constant`` is the probability of a value to be replaced; either extreme is equally likely.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = images.copy(order="C")
    for out, generator in zip(corrupted, generators, strict=True):
        hit = generator.random(out.shape) < constant
        salt = generator.random(out.shape) < 0.5  # for every value, hit or not, as published
        # All bits set or none: masks of bytes are several times faster than choosing by them.
        mask = -hit.view(np.uint8)
        out &= ~mask
        out |= -salt.view(np.uint8) & mask
    return corrupted
