"""Gaussian blur: the scene goes out of focus."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions.gaussian_blur import gaussian_blur as blurred
from robusteval.perturbations._frames import sequences


def gaussian_blur(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    sigmas: Sequence[float],
    truncate: float,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under each kernel as sequences (N, T, H, W, C).

    ``sigmas`` are the kernels' standard deviations in pixels; each is cut at ``truncate`` of them.
    Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return sequences(
        images,
        len(sigmas),
        lambda t: blurred(images, sigmas[t], generators, truncate=truncate),
    )
