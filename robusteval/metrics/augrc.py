"""AUGRC: the share of images that are accepted and wrong, averaged over how many are accepted."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows
from robusteval.metrics._ranked import sums


def augrc(confidence: NDArray[np.float64], correct: NDArray[np.bool_]) -> float:
    """Return the area under the generalised risk-coverage curve, in [0, 1/2]; lower is better.

    The generalised risk at coverage n / N is (errors among the n most confident) / N, which does
    not rise as images are rejected; ``confidence`` and ``correct`` are (N,). The area is of
    trapezia, so that with a the accuracy and AUROC that of right against wrong predictions it is
    ``(1 - AUROC) a (1 - a) + (1 - a)^2 / 2``, ties included. Only the order counts.

    Source: Traub et al., "Overcoming common flaws in the evaluation of selective classification
        systems", NeurIPS 2024, arXiv 2407.01032.

    Raises:
        ValueError: there is no image, the shapes differ, ``correct`` is not boolean, or a
            confidence is NaN or infinite.
    """
    check_rows(confidence=confidence, correct=correct)
    check_masks(correct=correct)
    check_finite(confidence=confidence)
    errors = sums(confidence.astype(np.float64), ~correct)
    return float(np.trapezoid(errors) / len(correct) ** 2)
