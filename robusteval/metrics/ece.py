"""ECE: how far confidences are from the shares of right predictions, in bins of equal width."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._probabilities import check_calibration


def ece(confidence: NDArray[np.float64], correct: NDArray[np.bool_], *, bins: int = 15) -> float:
    """Return the expected calibration error, in [0, 1]; lower is better.

    ``sum_b (n_b / N) |share right in b - mean confidence in b|`` over ``bins`` of equal width,
    ((b - 1) / bins, b / bins], 0 in the first. ``confidence`` (N,) is the probability of the
    predicted class, ``correct`` (N,) whether it is right. Unlike a ranking it depends on the values
    and not only on their order. It is biased upwards with few images a bin.

    Source: Guo et al., "On calibration of modern neural networks", ICML 2017, equation 3.

    Raises:
        ValueError: there is no image, the shapes differ, ``correct`` is not boolean, a confidence
            is NaN, infinite or outside [0, 1], or there is no bin.
    """
    check_calibration(confidence, correct, bins)
    p = confidence.astype(np.float64)
    inner = np.arange(1, bins) / bins
    which = np.searchsorted(inner, p, side="left")
    gaps = np.bincount(which, weights=correct - p, minlength=bins)
    return float(np.abs(gaps).sum() / len(p))
