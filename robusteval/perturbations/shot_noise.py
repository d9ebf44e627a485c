"""Shot noise: the same scene counted in photons, again and again."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions.shot_noise import shot_noise as noisy
from robusteval.perturbations._frames import noise_sequences


def shot_noise(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    frames: int,
    photons: float,
) -> NDArray[np.uint8]:
    """Return sequences (N, T, H, W, C): ``images`` (N, H, W, C), then each counted anew.

    ``photons`` is the mean number of photons of a white value (255), ``frames`` the number T.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return noise_sequences(images, frames, lambda: noisy(images, photons, generators))
