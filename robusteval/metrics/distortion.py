"""Size of the change that an attack made to each image, in a norm."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._pairs import of_pairs

Norm = Callable[[NDArray[np.float64]], np.float64 | int]

NORMS: dict[str, Norm] = {
    "l0": np.count_nonzero,
    "l1": lambda change: np.sum(np.abs(change)),
    "l2": lambda change: np.sqrt(np.sum(np.square(change))),
    "linf": lambda change: np.max(np.abs(change)),
}


def distortion(
    adversarial: NDArray[np.float32], clean: NDArray[np.float32], norm: str
) -> NDArray[np.float64]:
    """Return the norm (N,), float64, of ``adversarial - clean``, both (N, C, H, W) in [0, 1].

    ``l0`` counts the channel values that changed, so a colour pixel counts up to three times.
    ``l1``, ``l2`` and ``linf`` are on the pixel scale 0 to 1 and not divided by the image's size.

    Raises:
        ValueError: there is no image, the shapes differ, the norm is unknown, or an image holds
            NaN or infinity.
    """
    size = norm_of(norm)
    return of_pairs(adversarial, clean, lambda x, x0: float(size(x - x0)))


def norm_of(name: str) -> Norm:
    """Return the norm of this name.

    Raises:
        ValueError: there is none; the message lists those there are.
    """
    if name not in NORMS:
        raise ValueError(f"norm {name!r}: expected one of {', '.join(NORMS)}")
    return NORMS[name]
