"""The confidence from which on a prediction is accepted, calibrated on images of known classes."""

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
    fewest: int = 20,
) -> float:
    """Return the largest threshold t with which ``confidence >= t`` keeps ``target_rate`` of them.

    ``confidence`` (N,) and ``correct`` (N,) are of the calibration set: the clean test images, or
    images held out for this. ``mask="correct"`` calibrates on those classified correctly,
    ``mask="all"`` on all: the choice moves the scores on unknown classes by many points.

    The threshold is one of the confidences, with no interpolation, so at least ``target_rate`` is
    accepted even where many are equal. With ``mask="all"`` it is that of `fpr_at_tpr` with known
    classes as the positive ones: the share of unknown images accepted is that rate exactly.

    ``fewest`` is how many images the set must have: 95% of fewer than 20 is all of them.

    Raises:
        ValueError: there are fewer than ``fewest`` images, or none to calibrate on, the shapes
            differ, ``correct`` is not boolean, a confidence is NaN or infinite, or an option has
            no such value.
    """
    check_rows(confidence=confidence, correct=correct)
    check_masks(correct=correct)
    check_finite(confidence=confidence)
    if not 0 < target_rate <= 1:
        raise ValueError(f"target_rate {target_rate}: expected more than 0 and at most 1")
    if mask not in ("correct", "all"):
        raise ValueError(f"mask {mask!r}: expected 'correct' or 'all'")
    if len(confidence) < fewest:
        raise ValueError(
            f"{len(confidence)} calibration images: expected at least {fewest}, measure more clean "
            "images"
        )
    kept = confidence[correct] if mask == "correct" else confidence
    if not kept.size:
        raise ValueError(f"none of {len(correct)} images is correct: expected at least one")
    ranked = np.sort(kept.astype(np.float64))
    # The share accepted at each of them, as a ROC curve has it: target_rate * N may round up.
    reached = np.arange(len(ranked), 0, -1) / len(ranked) >= target_rate
    return float(ranked[reached][-1])
