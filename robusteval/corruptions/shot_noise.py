"""Shot noise: light comes in photons."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from robusteval.corruptions._draws import is_legacy
from robusteval.corruptions._levels import LEVELS, Levels, rounded, truncated, unit
from robusteval.corruptions._redraw import Outcomes, outcomes, redrawn


def shot_noise(
    images: NDArray[np.uint8],
    constant: float,
    generators: Sequence[np.random.Generator],
    *,
    levels: Levels = truncated,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) as counted photons, independent for each value.

    ``constant`` is the mean number of photons of a white value (255). ``levels`` makes the result
    whole.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        if is_legacy(generator):
            out[:] = levels(generator.poisson(unit(image) * constant) / constant)
        else:
            out[:] = redrawn(image, _outcomes(constant, levels), generator)
    return corrupted


def shot_noise_mnist_c(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) as counted photons, rounded; ``constant`` as there.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    return shot_noise(images, constant, generators, levels=rounded)


@lru_cache(maxsize=8)
def _outcomes(photons: float, levels: Levels = truncated) -> Outcomes:
    counts = np.arange(int(photons) + 1)  # more are white too
    most = np.searchsorted(levels(counts / photons), np.arange(256), side="right") - 1
    return outcomes(pdtr(most, LEVELS[:, np.newaxis] * photons))
