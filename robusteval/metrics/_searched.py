"""Scores of images that were searched within what an oracle accepts, as ratios of counts.

Every score is written once, over weights of images: with a weight of 1 each it is the estimate,
with the counts of a resample it is a draw of the bootstrap.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks, check_rows

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
RESAMPLES = 2000


@dataclass(frozen=True)
class Verdicts:
    """What is known of N images, all bool (N,).

    ``right``, ``right_round_trip`` and ``right_perturbed`` say where the evaluated model is right
    about the original, about its plain round trip and about the searched image; ``valid`` where the
    oracle accepts the searched image.

    Raises:
        ValueError: there is no image, the shapes differ, or an array is not boolean.
    """

    right: Bools
    right_round_trip: Bools
    right_perturbed: Bools
    valid: Bools

    def __post_init__(self) -> None:
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        check_rows(**arrays)
        check_masks(**arrays)


Score = Callable[[Verdicts, Floats], Floats]

# Each maps verdicts on N images and weights (..., N) to values (...), NaN where undefined.
SCORES: dict[str, Score] = {
    "sa": lambda v, w: share(w, v.right),
    "vr": lambda v, w: share(w, v.valid),
    "sa_valid": lambda v, w: share(w, v.right, v.valid),
    "pa_0": lambda v, w: share(w, v.right_round_trip, v.valid),
    "pa": lambda v, w: share(w, v.right_perturbed, v.valid),
    "pa_all": lambda v, w: share(w, np.where(v.valid, v.right_perturbed, v.right)),
    "fmr": lambda v, w: ratio(SCORES["pa"](v, w), SCORES["sa"](v, w)),
    "fmr_valid": lambda v, w: ratio(SCORES["pa"](v, w), SCORES["sa_valid"](v, w)),
    "fmr_adversarial": lambda v, w: ratio(SCORES["pa"](v, w), SCORES["pa_0"](v, w)),
}


def share(weights: Floats, mask: Bools, among: Bools | None = None) -> Floats:
    """Return the share (...) of the weights (..., N) of ``among`` (N,) that ``mask`` (N,) has."""
    part, whole = (mask, np.ones_like(mask)) if among is None else (mask & among, among)
    return ratio(weights @ part.astype(np.float64), weights @ whole.astype(np.float64))


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return ``numerator / denominator``, NaN where the denominator is 0 or NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def estimate(name: str, verdicts: Verdicts) -> float:
    """Return the score ``name`` of all images: a share in [0, 1], or a ratio of two; or NaN."""
    return float(SCORES[name](verdicts, np.ones(len(verdicts.valid))))


def estimates(verdicts: Verdicts) -> dict[str, float]:
    """Return every score by its name; NaN where it is undefined, never 0."""
    return {name: estimate(name, verdicts) for name in SCORES}


def intervals(
    verdicts: Verdicts,
    generator: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> dict[str, tuple[float, float]]:
    """Return the percentile interval (low, high) of every score by paired bootstrap.

    Whole images are drawn, with all that is known of each, so numerator and denominator of a ratio
    vary together, and all scores are of the same draws. An interval is NaN where one image or a
    resample without a value, such as one without a valid image, leaves it undefined.

    Source: Efron & Tibshirani, "An introduction to the bootstrap", 1993, section 13.3.
    """
    kinds, weights = _resampled([verdicts], generator, resamples)
    return {name: _tails(score(kinds[0], weights), level) for name, score in SCORES.items()}


def difference(
    name: str,
    first: Verdicts,
    second: Verdicts,
    generator: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[float, float, float]:
    """Return a score of the first model less that of the second, with its interval (low, high).

    Both are of the same images in the same order, which are drawn together.

    Raises:
        ValueError: the numbers of images differ.
    """
    check_rows(first=first.valid, second=second.valid)
    kinds, weights = _resampled([first, second], generator, resamples)
    score = SCORES[name]
    drawn = score(kinds[0], weights) - score(kinds[1], weights)
    return (estimate(name, first) - estimate(name, second), *_tails(drawn, level))


def _resampled(
    verdicts: list[Verdicts], generator: np.random.Generator, resamples: int
) -> tuple[list[Verdicts], Floats]:
    """Return the kinds of images there are, a row each, and how often resamples (R, kinds) hold it.

    N draws with replacement hold each kind as often as a multinomial draw says: the same bootstrap
    at the cost of at most 16 kinds a model instead of N images.
    """
    columns = [getattr(v, field.name) for v in verdicts for field in fields(Verdicts)]
    table, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    n = int(counts.sum())
    if n < 2:
        drawn = np.full((1, len(counts)), np.nan)
    else:
        drawn = generator.multinomial(n, counts / n, size=resamples).astype(np.float64)
    width = len(fields(Verdicts))
    parts = [table[:, i * width : (i + 1) * width].T for i in range(len(verdicts))]
    return [Verdicts(*part) for part in parts], drawn


def _tails(values: Floats, level: float) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
