"""Size of the change that an attack made to each image, in a norm."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
    if norm not in NORMS:
        raise ValueError(f"norm {norm!r}: expected one of {', '.join(NORMS)}")
    if adversarial.shape != clean.shape or adversarial.ndim < 2 or not adversarial.size:
        raise ValueError(
            f"shapes adversarial {adversarial.shape}, clean {clean.shape}: expected the same "
            "(N, C, H, W) for both, N at least 1"
        )
    # Image by image: the order of a sum, and so its rounding, cannot depend on the neighbours, and
    # memory-mapped shards are never held in float64 as a whole.
    sizes = np.empty(len(clean), np.float64)
    for i in range(len(clean)):
        change = np.subtract(adversarial[i], clean[i], dtype=np.float64)
        if not np.isfinite(change).all():
            raise ValueError(f"image {i} holds NaN or infinity: expected values in [0, 1]")
        sizes[i] = NORMS[norm](change)
    return sizes
