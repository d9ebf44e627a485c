"""Motion blur: the direction in which the camera moves turns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._motion import moved
from robusteval.perturbations._frames import sequences


def motion_blur(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    radius: int,
    sigma: float,
    degrees: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) blurred in each direction as sequences (N, T, H, W, C).

    ``radius``, half the length of the line, and ``sigma``, the standard deviation of the weights
    along it, are in pixels; 0 of ``degrees`` goes to the right, 90 down. Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """

    def frame(t: int) -> NDArray[np.uint8]:
        blurred = [moved(x, radius=radius, sigma=sigma, degrees=degrees[t]) for x in images]
        return np.array(blurred, np.uint8).reshape(images.shape)

    return sequences(images, len(degrees), frame)
