"""Speckle noise: the same scene under noise in proportion to its light, again and again."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions.speckle_noise import speckle_noise as noisy
from robusteval.perturbations._frames import noise_sequences


def speckle_noise(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    frames: int,
    sd: float,
) -> NDArray[np.uint8]:
    """Return sequences (N, T, H, W, C): ``images`` (N, H, W, C), then each under new noise.

    ``sd`` is the standard deviation of the noise relative to the value, ``frames`` the number T.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return noise_sequences(images, frames, lambda: noisy(images, sd, generators))
