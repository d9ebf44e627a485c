"""Size of the change that an attack made to each image, as a share of the size of the image."""

import math

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._pairs import Image, OfPair, of_pairs
from robusteval.metrics.distortion import norm_of


def relative_distortion(
    adversarial: NDArray[np.float32], clean: NDArray[np.float32], norm: str
) -> NDArray[np.float64]:
    """Return ``||x^a - x||_p / ||x||_p`` (N,), float64, of images (N, C, H, W) in [0, 1].

    ``norm`` is l0 (changed values as a share of those that are not 0), l1, l2 or linf. A black
    image has no size: infinite if it was changed, else 0.

    Raises:
        ValueError: there is no image, the shapes differ, the norm is unknown, or an image holds
            NaN or infinity.
    """
    return of_pairs(adversarial, clean, relative(norm))


def relative(norm: str) -> OfPair:
    """Return the relative distortion of one pair, as a function.

    Raises:
        ValueError: the norm is unknown.
    """
    size = norm_of(norm)

    def of(adversarial: Image, clean: Image) -> float:
        change, whole = float(size(adversarial - clean)), float(size(clean))
        if not whole:
            return math.inf if change else 0.0
        return change / whole

    return of
