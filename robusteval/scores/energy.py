"""Negative free energy: the logarithm of the sum of the exponentials of the logits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.scores._logits import checked


def energy(logits: NDArray[np.floating[Any]], *, temperature: float = 1.0) -> NDArray[np.float64]:
    """Return ``T log sum_k exp(z_k / T)`` (N,), float64, of ``logits`` (N, K).

    That is the energy of the paper with its sign turned, so that larger is more certain. As the
    maximum logit, it changes when a constant is added to all logits of an image.

    Source: Liu et al., "Energy-based out-of-distribution detection", NeurIPS 2020, with T = 1.

    Raises:
        ValueError: ``logits`` is not (N, K) with at least one image and two classes, or holds NaN
            or infinity, or the temperature is not a positive number.
    """
    if not 0 < temperature < np.inf:
        raise ValueError(f"temperature {temperature}: expected a positive number")
    z = checked(logits)
    largest = z.max(axis=1, keepdims=True)
    z -= largest
    z /= temperature
    np.exp(z, out=z)
    score: NDArray[np.float64] = largest[:, 0] + temperature * np.log(z.sum(axis=1))
    return score
