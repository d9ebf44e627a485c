"""Which decisions of a classifier that may reject are right, image by image."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


def right_decisions(
    confidence: NDArray[np.float64],
    label: NDArray[np.integer[Any]],
    prediction: NDArray[np.integer[Any]],
    threshold: float,
    *,
    rejected_mistake: Literal["right", "wrong"] = "right",
) -> NDArray[np.bool_]:
    """Return which of N images are decided on rightly (N,), by the table in `dar`.

    Raises:
        ValueError: there is no image, the shapes differ, the threshold is NaN, a confidence is NaN
            or infinite, a label is below -1, or an option has no such value.
    """
    check_rows(confidence=confidence, label=label, prediction=prediction)
    check_finite(confidence=confidence)
    if np.isnan(threshold):
        raise ValueError("threshold nan: expected a number, NaN neither accepts nor rejects")
    if np.min(label) < -1:
        raise ValueError(f"label {np.min(label)}: expected a class from 0 on, or -1 for unknown")
    if rejected_mistake not in ("right", "wrong"):
        raise ValueError(f"rejected_mistake {rejected_mistake!r}: expected 'right' or 'wrong'")
    accepted = np.asarray(confidence, np.float64) >= threshold
    known = label >= 0
    correct = known & (prediction == label)
    rejected_rightly = ~accepted & (~correct if rejected_mistake == "right" else ~known)
    right: NDArray[np.bool_] = accepted & correct | rejected_rightly
    return right
