"""Checks of the metrics that read a confidence as a probability."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows

SUM_TOLERANCE = 1e-4  # how far the sum of one image's probabilities may be from 1


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


def check_probabilities(**arrays: NDArray[np.floating[Any]]) -> None:
    """Check that the named arrays hold a probability a class, (N, K), for at least two classes.

    Raises:
        ValueError: one does not; the message gives its name and the first such image.
    """
    for name, array in arrays.items():
        if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
            raise ValueError(
                f"{name} of shape {array.shape}: expected (N, K), N at least 1 and K at least 2"
            )
        sums = array.sum(axis=1, dtype=np.float64)
        # NaN compares as false. Softmax in float32 sums to 1 within 1e-6.
        fine = (array >= 0).all(axis=1) & (np.abs(sums - 1) <= SUM_TOLERANCE)
        if not fine.all():
            first = int(np.flatnonzero(~fine)[0])
            raise ValueError(
                f"{name} of image {first} sums to {sums[first]:.6g} with the smallest "
                f"{array[first].min():.6g}: expected probabilities, of logits take softmax"
            )


def check_labels(label: NDArray[np.integer[Any]], probability: NDArray[np.floating[Any]]) -> None:
    """Check that ``label`` (N,) names a class of each row of ``probability`` (N, K).

    Raises:
        ValueError: it does not; the message gives the shapes or the label.
    """
    if label.shape != probability.shape[:1]:
        raise ValueError(
            f"shapes label {label.shape}, probability {probability.shape}: expected (N,) and (N, K)"
        )
    if label.min() < 0 or label.max() >= probability.shape[1]:
        wrong = label.min() if label.min() < 0 else label.max()
        raise ValueError(f"label {wrong}: expected one of 0 to {probability.shape[1] - 1}")
