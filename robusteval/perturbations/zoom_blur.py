"""Zoom blur: the camera moves towards the scene, and the shutter stays open ever longer."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.perturbations._centred import about_centre
from robusteval.perturbations._frames import sequences


def zoom_blur(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    factors: Sequence[float],
) -> NDArray[np.uint8]:
    """Return sequences (N, T, H, W, C) of means of ``images`` (N, H, W, C) and enlarged copies.

    Frame t is the mean of the image and its enlargements by ``factors[1]`` to ``factors[t]``, the
    first the image itself. Means are float32, as published. Draws nothing.

    The enlargement is another than that of the corruption of the same name: about the centre of
    ``about_centre``, and rounded to whole levels before the mean.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    total = np.divide(images, np.float32(255), dtype=np.float32, order="C")

    def frame(t: int) -> NDArray[np.uint8]:
        if t == 0:
            return images
        nearer = about_centre(images, [(1 / factors[t], 0.0, 0.0, 1 / factors[t])])[:, 0]
        np.add(total, nearer / np.float32(255), out=total)
        return (total / np.float32(t + 1) * np.float32(255)).astype(np.uint8)

    return sequences(images, len(factors), frame)
