"""Intervals of shares of pairs of a known and an unknown image, such as AUROC and OSCR."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows


def pairs_interval(
    known_score: NDArray[np.float64],
    unknown_score: NDArray[np.float64],
    *,
    counted: NDArray[np.bool_] | None = None,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the interval (low, high), in [0, 1], of the share of pairs whose known image is ahead.

    Scores are ``known_score`` (N,) and ``unknown_score`` (M,), ties count half: AUROC. With
    ``counted`` (N,), pairs of other known images count as none: OSCR, if it says which are right.
    The variance is that of the known images' shares over N and of the unknown ones' over M (DeLong,
    DeLong & Clarke-Pearson, Biometrics 1988); the interval is normal and cut to [0, 1]. Where all
    pairs are in order it has no width, as the images that would show otherwise are not there.
    One image on a side says nothing about the spread: NaN then.

    Raises:
        ValueError: a side is empty, not one-dimensional or not finite, the shapes differ, or
            ``counted`` is not boolean.
    """
    if counted is None:
        counted = np.ones(np.shape(known_score), bool)
    check_rows(known_score=known_score, counted=counted)
    check_rows(unknown_score=unknown_score)
    check_masks(counted=counted)
    check_finite(known_score=known_score, unknown_score=unknown_score)
    n, m = len(known_score), len(unknown_score)
    if n < 2 or m < 2:
        return float("nan"), float("nan")
    known = known_score.astype(np.float64)
    unknown = unknown_score.astype(np.float64)
    of_known = counted * _share_below(known, unknown)
    # Of an unknown image: the counted known ones ahead of it, of all known ones.
    right = known[counted]
    of_unknown = _share_below(-unknown, -right) * len(right) / n if len(right) else np.zeros(m)
    variance = np.var(of_known, ddof=1) / n + np.var(of_unknown, ddof=1) / m
    half = NormalDist().inv_cdf((1 + level) / 2) * float(np.sqrt(variance))
    mean = float(np.mean(of_known))
    return max(0.0, mean - half), min(1.0, mean + half)


def _share_below(of: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each of ``of`` the share of ``others`` below it, equal ones counting half."""
    ranked = np.sort(others)
    below = np.searchsorted(ranked, of, side="left") + np.searchsorted(ranked, of, side="right")
    share: NDArray[np.float64] = below / (2 * len(others))
    return share
