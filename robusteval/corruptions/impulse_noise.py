"""Impulse noise: salt and pepper, the errors of bits."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import is_legacy
from robusteval.corruptions._redraw import Outcomes, outcomes, redrawn


def impulse_noise(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with some values, not whole pixels, made 255 or 0.

    ``constant`` is the probability of a value to be replaced; either extreme is equally likely.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = images.copy(order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        if is_legacy(generator):
            hit = generator.random(image.shape) < constant
            salt = generator.random(image.shape) < 0.5  # for every value, hit or not, as published
            out[hit] = np.where(salt[hit], 255, 0)
        else:
            out[:] = redrawn(image, _outcomes(constant), generator)
    return corrupted


@lru_cache(maxsize=8)
def _outcomes(amount: float) -> Outcomes:
    level = np.arange(256)
    kept = (level[:, np.newaxis] <= level).astype(np.float64)
    return outcomes(amount / 2 + (1.0 - amount) * kept)
