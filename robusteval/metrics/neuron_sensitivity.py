"""NS: how much each neuron changes when images become noisy or adversarial."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def neuron_sensitivity(
    clean: NDArray[np.floating[Any]], noisy: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """Return the sensitivity (U,), float64, of each neuron of a layer; lower is better.

    ``1/N sum_i ||F_u(x_i) - F_u(x'_i)||_1 / dim F_u(x_i)``, from the values of U neurons at P
    positions, ``clean`` and ``noisy`` (N, U, P), of N images and their noisy copies. A layer's
    sensitivity is the mean over its neurons. It is on the scale of the activations: compare
    networks of one architecture only.

    Source: Zhang et al., arXiv 1909.06978; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, neuron or position, the shapes differ, or a value is NaN or
            infinite.
    """
    sensitivity: NDArray[np.float64] = changes(clean, noisy).mean(axis=0)
    return sensitivity


def changes(
    clean: NDArray[np.floating[Any]], noisy: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """Return the mean change (N, U), float64, of each neuron, image by image.

    Raises:
        ValueError: as `neuron_sensitivity`.
    """
    if clean.shape != noisy.shape or clean.ndim != 3 or not clean.size:
        raise ValueError(
            f"shapes clean {clean.shape}, noisy {noisy.shape}: expected the same (N, U, P) for "
            "both, no part of it 0"
        )
    change = np.abs(np.subtract(clean, noisy, dtype=np.float64))
    if not np.isfinite(change).all():
        raise ValueError("values of neurons hold NaN or infinity: expected none")
    mean: NDArray[np.float64] = change.mean(axis=2)
    return mean
