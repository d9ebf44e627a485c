"""DAR: the share of right decisions of a classifier that may reject, one score for all data."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._decisions import right_decisions


def dar(
    confidence: NDArray[np.float64],
    label: NDArray[np.integer[Any]],
    prediction: NDArray[np.integer[Any]],
    threshold: float,
    *,
    rejected_mistake: Literal["right", "wrong"] = "right",
) -> float:
    """Return the share of right decisions, in [0, 1]; higher is better.

    An image is accepted if ``confidence`` (N,) is at least ``threshold``, which may be infinite.
    A label of -1 stands for an unknown class.

    ================================  ========================  ==========================
    image                             accepted                  rejected
    ================================  ========================  ==========================
    known class, prediction right     right                     wrong
    known class, prediction wrong     wrong                     see ``rejected_mistake``
    unknown class                     wrong                     right
    ================================  ========================  ==========================

    This is a DAR-style score after Spratling (2025, arXiv 2308.04137), rebuilt from secondary
    sources because the paper's own definition could not be read; in particular, whether rejecting
    a mistake counts as right is an open choice and therefore an option. The others are arguments
    of `acceptance_threshold`, which makes the threshold from the calibration set that it is given,
    and of `mean_dar`.

    Raises:
        ValueError: there is no image, the shapes differ, the threshold is NaN, a confidence is NaN
            or infinite, a label is below -1, or an option has no such value.
    """
    right = right_decisions(
        confidence, label, prediction, threshold, rejected_mistake=rejected_mistake
    )
    return float(np.mean(right, dtype=np.float64))
