"""How far confidence says what is right: ECE and AURRA of predictions and their probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


def expected_calibration_error(
    confidence: Floats, right: NDArray[np.bool_], *, bins: int = 15
) -> float:
    """Return ECE in [0, 1]: mean |accuracy - confidence| over bins, weighted by their images.

    ``confidence`` (N,) in [0, 1] is that of the predicted class, ``right`` (N,) whether it is the
    label's. Bins are of equal width, open to the left. Source: Guo et al. 2017, arXiv 1706.04599.

    Raises:
        ValueError: the shapes differ, there is no image, or a confidence is outside [0, 1].
    """
    _check(confidence, right)
    place = np.clip(np.ceil(confidence.astype(np.float64) * bins).astype(int) - 1, 0, bins - 1)
    gaps = np.bincount(place, right - confidence.astype(np.float64), minlength=bins)
    return float(np.abs(gaps).sum() / len(right))


def aurra(confidence: Floats, right: NDArray[np.bool_]) -> float:
    """Return the area under the curve of accuracy against response rate, in [0, 1].

    The most confident images are answered first: the mean, over k from 1 to N, of the accuracy
    among the k most confident. Images of equal confidence are answered in the order given.
    Source: Hendrycks et al. 2021, Natural Adversarial Examples, arXiv 1907.07174.

    Raises:
        ValueError: as ``expected_calibration_error``.
    """
    _check(confidence, right)
    order = np.argsort(-confidence.astype(np.float64), kind="stable")
    return float((np.cumsum(right[order]) / np.arange(1, len(right) + 1)).mean())


def _check(confidence: Floats, right: NDArray[np.bool_]) -> None:
    if confidence.shape != right.shape or confidence.ndim != 1 or not len(right):
        raise ValueError(
            f"confidence {confidence.shape}, right {right.shape}: one value of each an image "
            f"expected, and at least one image"
        )
    if not ((confidence >= 0) & (confidence <= 1)).all():
        raise ValueError(
            f"confidence {confidence.min():g} to {confidence.max():g}; 0 to 1 expected, as a "
            f"softmax gives"
        )
