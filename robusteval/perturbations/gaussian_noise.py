"""Gaussian noise: the same scene in low light, again and again."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions.gaussian_noise import gaussian_noise as noisy
from robusteval.perturbations._frames import noise_sequences


def gaussian_noise(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    frames: int,
    sd: float,
) -> NDArray[np.uint8]:
    """Return sequences (N, T, H, W, C): ``images`` (N, H, W, C), then each under new noise.

    ``sd`` is the standard deviation of the noise (scale 0 to 1), ``frames`` the number T.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return noise_sequences(images, frames, lambda: noisy(images, sd, generators))
