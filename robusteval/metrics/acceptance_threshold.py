"""The confidence from which on a prediction is accepted, calibrated on clean images."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows


def acceptance_threshold(
    confidence: NDArray[np.float64],
    correct: NDArray[np.bool_],
    *,
    target_rate: float = 0.95,
    mask: Literal["correct", "all"] = "correct",
) -> float:
    """Return a threshold t such that ``confidence >= t`` keeps ``target_rate`` of the clean images.

    ``confidence`` (N,) and ``correct`` (N,) are of clean images. ``mask="correct"`` calibrates on
    the correctly classified ones, ``mask="all"`` on all: the choice moves the scores on unknown
    classes by many points. The threshold is one of the confidences (the lower quantile, no
    interpolation), so at least ``target_rate`` is accepted even where many are equal.

    Raises:
        ValueError: there is no image to calibrate on, the shapes differ, ``correct`` is not
            boolean, a confidence is NaN or infinite, or an option has no such value.
    """
    check_rows(confidence=confidence, correct=correct)
    check_masks(correct=correct)
    check_finite(confidence=confidence)
    if not 0 < target_rate <= 1:
        raise ValueError(f"target_rate {target_rate}: expected more than 0 and at most 1")
    if mask not in ("correct", "all"):
        raise ValueError(f"mask {mask!r}: expected 'correct' or 'all'")
    kept = confidence[correct] if mask == "correct" else confidence
    if not kept.size:
        raise ValueError(f"none of {len(correct)} images is correct: expected at least one")
    return float(np.quantile(kept.astype(np.float64), 1 - target_rate, method="lower"))
