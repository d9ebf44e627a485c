"""Area under the precision-recall curve, for either choice of the positive class."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


def aupr(
    known_score: NDArray[np.float64],
    unknown_score: NDArray[np.float64],
    *,
    positive: Literal["known", "unknown"],
    area: Literal["steps", "trapezia"] = "steps",
) -> float:
    """Return the area under the precision-recall curve, in [0, 1]; higher is better.

    Scores ``known_score`` (N,) and ``unknown_score`` (M,) are confidences, larger for what looks
    more known. The positive class has no default, since chance is its share of the images:
    ``positive="known"`` is AUPR-IN, ``positive="unknown"`` is AUPR-OUT.

    * ``area="steps"`` is scikit-learn's average precision, ``sum_t (R_t - R_{t-1}) P_t``.
    * ``area="trapezia"`` joins the points by lines, as OpenOOD v1.5 and pytorch-ood do; this is
      too large where points are far apart (Davis & Goadrich, ICML 2006).

    Only the order of the scores counts; equal ones share one point of the curve.

    Raises:
        ValueError: a side is empty, not one-dimensional or not finite, or an option has no such
            value.
    """
    check_rows(known_score=known_score)
    check_rows(unknown_score=unknown_score)
    check_finite(known_score=known_score, unknown_score=unknown_score)
    if positive not in ("known", "unknown"):
        raise ValueError(f"positive {positive!r}: expected 'known' or 'unknown'")
    if area not in ("steps", "trapezia"):
        raise ValueError(f"area {area!r}: expected 'steps' or 'trapezia'")
    from sklearn.metrics import precision_recall_curve  # here: slower than most tables

    confidence = np.concatenate([known_score, unknown_score]).astype(np.float64)
    known = np.repeat([True, False], [len(known_score), len(unknown_score)])
    if positive == "known":
        precision, recall, _ = precision_recall_curve(known, confidence)
    else:  # the mirror image: the surest positives are the least confident images
        precision, recall, _ = precision_recall_curve(~known, -confidence)
    # Both run from recall 1 down to recall 0, where precision is set to 1.
    if area == "steps":
        return float(-np.sum(np.diff(recall) * precision[:-1]))
    return float(-np.trapezoid(precision, recall))
