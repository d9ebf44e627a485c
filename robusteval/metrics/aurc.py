"""AURC: the error among the accepted images, averaged over how many are accepted."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows
from robusteval.metrics._ranked import sums


def aurc(confidence: NDArray[np.float64], correct: NDArray[np.bool_]) -> float:
    """Return the area under the risk-coverage curve, in [0, 1]; lower is better.

    ``(1 / N) sum_n (errors among the n most confident) / n``, with ``confidence`` (N,) and
    ``correct`` (N,). Errors among the most confident images weigh most; among equal confidences it
    is the mean over their orders. A score that says nothing has the error rate; a perfect one
    still has more than 0 if there are errors. Only the order of the confidences counts.

    Source: Geifman, Uziel & El-Yaniv, "Bias-reduced uncertainty estimation for deep neural
        classifiers", ICLR 2019. Implementations that take trapezia differ by the order of 1 / N.

    Raises:
        ValueError: there is no image, the shapes differ, ``correct`` is not boolean, or a
            confidence is NaN or infinite.
    """
    check_rows(confidence=confidence, correct=correct)
    check_masks(correct=correct)
    check_finite(confidence=confidence)
    errors = sums(confidence.astype(np.float64), ~correct)[1:]
    return float(np.mean(errors / np.arange(1, len(correct) + 1)))
