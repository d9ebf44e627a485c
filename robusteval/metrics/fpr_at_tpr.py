"""False positive rate at a given true positive rate, for either choice of the positive class."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


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
      (the papers on MSP, ODIN and energy scores).
    * ``positive="unknown"``: the share of known images flagged when ``tpr`` of the unknown ones
      are (OpenOOD v1.5, pytorch-ood).

    It is the first point of scikit-learn's ROC curve whose true positive rate is at least ``tpr``:
    no interpolation, and an equal score counts as positive.

    Raises:
        ValueError: a side is empty, not one-dimensional or not finite, or an option has no such
            value.
    """
    check_rows(known_score=known_score)
    check_rows(unknown_score=unknown_score)
    check_finite(known_score=known_score, unknown_score=unknown_score)
    if not 0 < tpr <= 1:
        raise ValueError(f"tpr {tpr}: expected more than 0 and at most 1")
    if positive not in ("known", "unknown"):
        raise ValueError(f"positive {positive!r}: expected 'known' or 'unknown'")
    from sklearn.metrics import roc_curve  # here: the import takes longer than most tables

    confidence = np.concatenate([known_score, unknown_score]).astype(np.float64)
    known = np.repeat([True, False], [len(known_score), len(unknown_score)])
    if positive == "known":
        rates = roc_curve(known, confidence, drop_intermediate=False)
    else:  # the mirror image: the surest positives are the least confident images
        rates = roc_curve(~known, -confidence, drop_intermediate=False)
    false, true = rates[0], rates[1]
    return float(false[np.argmax(true >= tpr)])
