"""False positive rate at a given true positive rate, for either choice of the positive class."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows
from robusteval.metrics.acceptance_threshold import acceptance_threshold


def fpr_at_tpr(
    known_score: NDArray[np.float64],
    unknown_score: NDArray[np.float64],
    *,
    tpr: float = 0.95,
    positive: Literal["known", "unknown"],
) -> float:
    """Return the false positive rate, in [0, 1], at true positive rate ``tpr``; lower is better.

    Scores ``known_score`` (N,) and ``unknown_score`` (M,) are confidences, larger for what looks
    more known. Two conventions carry the same name, and the same scores can give 0.4 in one and
    0.8 in the other, so the positive class has no default:

    * ``positive="known"``: the share of unknown images accepted when ``tpr`` of the known ones are
      (the papers on MSP, ODIN and energy scores). It is 1 minus the DAR of the unknown images when
      the threshold is calibrated on all known ones.
    * ``positive="unknown"``: the share of known images flagged when ``tpr`` of the unknown ones
      are (OpenOOD v1.5, pytorch-ood).

    The threshold is an attained score and an equal score counts as positive, so the true positive
    rate is at least ``tpr``, by at most one image more than the first point of the ROC curve that
    reaches it (ties aside).

    Raises:
        ValueError: a side is empty, not one-dimensional or not finite, or an option has no such
            value.
    """
    check_rows(known_score=known_score)
    check_rows(unknown_score=unknown_score)
    check_finite(known_score=known_score, unknown_score=unknown_score)
    if positive not in ("known", "unknown"):
        raise ValueError(f"positive {positive!r}: expected 'known' or 'unknown'")
    if positive == "known":
        positives, negatives = known_score, unknown_score
    else:  # the mirror image: the surest positives are the least confident images
        positives, negatives = -unknown_score, -known_score
    everything = np.ones(len(positives), np.bool_)
    threshold = acceptance_threshold(positives, everything, target_rate=tpr, mask="all")
    return float(np.mean(negatives.astype(np.float64) >= threshold, dtype=np.float64))
