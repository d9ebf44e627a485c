"""Brightness: the scene goes from dark to bright."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions.brightness import brightness as raised
from robusteval.perturbations._frames import sequences


def brightness(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    amounts: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) at each brightness as sequences (N, T, H, W, C).

    Each of ``amounts`` is added to the value V of the hue, saturation and value colours (scale 0
    to 1). Draws nothing.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    return sequences(images, len(amounts), lambda t: raised(images, amounts[t], generators))
