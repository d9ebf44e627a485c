"""Checks of the metrics that read a confidence as a probability."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows


def check_calibration(
    confidence: NDArray[np.float64], correct: NDArray[np.bool_], bins: int
) -> None:
    """Check probabilities ``confidence`` (N,), verdicts ``correct`` (N,) and a number of bins.

    Raises:
        ValueError: there is no image, the shapes differ, ``correct`` is not boolean, a confidence
            is NaN, infinite or outside [0, 1], or there is no bin.
    """
    check_rows(confidence=confidence, correct=correct)
    check_masks(correct=correct)
    check_finite(confidence=confidence)
    if confidence.min() < 0 or confidence.max() > 1:
        raise ValueError(
            f"confidence from {confidence.min():.6g} to {confidence.max():.6g}: expected "
            "probabilities in [0, 1], of a log-probability take exp"
        )
    if bins < 1:
        raise ValueError(f"bins {bins}: expected 1 or more")
