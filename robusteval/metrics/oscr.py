"""OSCR: one area for naming known classes rightly and keeping unknown ones out."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows


def oscr(
    known_score: NDArray[np.float64],
    correct: NDArray[np.bool_],
    unknown_score: NDArray[np.float64],
) -> float:
    """Return the area under the open-set classification rate curve, in [0, 1]; higher is better.

    The curve is CCR(t), the share of the known images that are right and have a score of at least
    t, over FPR(t), the share of the unknown images that do. Scores ``known_score`` (N,) and
    ``unknown_score`` (M,) are confidences, ``correct`` (N,) says which known images are right.
    The area is the share of the (known, unknown) pairs whose known image is right and ahead, so
    at most the accuracy. Ties count half, as in AUROC; in the paper, CCR counts scores above t
    only, which gives ties nothing.

    Source: Dhamija, Günther & Boult, "Reducing network agnostophobia", NeurIPS 2018, the curve.

    Raises:
        ValueError: a side is empty, not one-dimensional or not finite, the shapes differ, or
            ``correct`` is not boolean.
    """
    check_rows(known_score=known_score, correct=correct)
    check_rows(unknown_score=unknown_score)
    check_masks(correct=correct)
    check_finite(known_score=known_score, unknown_score=unknown_score)
    unknown = np.sort(unknown_score.astype(np.float64))
    right = known_score[correct].astype(np.float64)
    behind = np.searchsorted(unknown, right, side="left")
    not_ahead = np.searchsorted(unknown, right, side="right")
    pairs = np.sum(behind + not_ahead, dtype=np.float64) / 2
    return float(pairs / len(known_score) / len(unknown))
