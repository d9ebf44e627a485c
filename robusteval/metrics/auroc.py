"""How well a score separates images of known classes from images of unknown ones."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


def auroc(known_score: NDArray[np.float64], unknown_score: NDArray[np.float64]) -> float:
    """Return the area under the ROC curve, in [0, 1]; higher is better, 0.5 is chance.

    It is the chance that an unknown image has a lower score than a known one, ties counting half.
    The positive class is *unknown*; ``known_score`` (N,) and ``unknown_score`` (M,) are
    confidences, larger for what looks more known. Naming the other class positive gives the same
    area. Only the order of the scores counts, and they are compared in float64.

    Raises:
        ValueError: a side is empty or not one-dimensional, or holds NaN or infinity.
    """
    from sklearn.metrics import roc_auc_score  # here: the import takes longer than most tables

    check_rows(known_score=known_score)
    check_rows(unknown_score=unknown_score)
    check_finite(known_score=known_score, unknown_score=unknown_score)
    confidence = np.concatenate([known_score, unknown_score]).astype(np.float64)
    unknown = np.repeat([False, True], [len(known_score), len(unknown_score)])
    return float(roc_auc_score(unknown, -confidence))
