"""ENI: how fast the loss changes from images to noisy copies of them."""

import math

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows

ROUNDING = 1e-6  # a pixel is known to 6e-8, so a change made to be eps may come out larger


def eni(
    loss: NDArray[np.float64],
    noisy_loss: NDArray[np.float64],
    distance: NDArray[np.float64],
    *,
    eps: float = math.inf,
) -> float:
    """Return the eps-empirical noise insensitivity; lower is better, at least 0.

    ``1/R sum |l(x_i, y_i) - l(mu_ij, y_i)| / ||x_i - mu_ij||_inf`` over the R pairs of an image and
    a noisy copy that differ by at most ``eps`` and by more than 0. Each of ``loss``, ``noisy_loss``
    (cross-entropy, nats) and ``distance`` (largest change of a value, pixel scale 0 to 1) is (P,),
    a value a pair. NaN if no pair is left.

    Source: arXiv 2101.09617; Liu et al., arXiv 1909.09034. The authors' code has the absolute value
        outside the sum, where changes of both signs cancel.

    Raises:
        ValueError: there is no pair, the shapes differ, a value is NaN or infinite, or a distance
            is negative.
    """
    check_rows(loss=loss, noisy_loss=noisy_loss, distance=distance)
    check_finite(loss=loss, noisy_loss=noisy_loss, distance=distance)
    if distance.min() < 0:
        raise ValueError(f"distance {distance.min()}: expected 0 or more")
    used = (distance > 0) & (distance <= eps + ROUNDING)
    if not used.any():
        return float("nan")
    return float(np.mean(np.abs(loss - noisy_loss)[used] / distance[used]))
