"""Bootstrap intervals of the log-linear law: how it would change with another draw of models."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robusteval.laws._checks import check_models
from robusteval.laws.log_linear import log_error, weighted
from robusteval.laws.pareto_frontier import dominated

Interval = tuple[float, float]
NONE: Interval = (math.nan, math.nan)
LEAST = 3  # models; two give a line without a doubt and without a meaning


@dataclass(frozen=True)
class Intervals:
    """Percentile intervals (low, high) of the law's numbers, NaN where there are too few models.

    ``used`` is the number of resamples that determine a line; the others are left out.
    """

    a: Interval
    b: Interval
    r_squared: Interval
    used: int


def log_linear_intervals(
    accuracy: NDArray[np.float64],
    distortion: NDArray[np.float64],
    *,
    generator: np.random.Generator,
    frontier: bool = False,
    resamples: int = 2000,
    level: float = 0.95,
) -> Intervals:
    """Return bootstrap intervals of `log_linear` over models drawn with replacement.

    With ``frontier``, each resample of all models has a Pareto frontier of its own, which the line
    is fitted to: that the frontier was chosen by the same numbers widens the interval as it should.
    Models of one family are alike, so the true intervals are wider. With fewer than 3 models, or 3
    on the frontier, there is none.

    Raises:
        ValueError: as `log_linear`; or ``resamples`` is below 1, ``level`` not between 0 and 1.
    """
    if resamples < 1 or not 0 < level < 1:
        raise ValueError(
            f"{resamples} resamples, level {level}: expected 1 or more, and between 0 and 1"
        )
    x = log_error(accuracy)
    check_models(accuracy=accuracy, distortion=distortion)
    beaten_by = dominated(accuracy, distortion)
    kept = ~beaten_by.any(axis=0) if frontier else np.ones(len(x), np.bool_)
    if kept.sum() < LEAST:
        return Intervals(NONE, NONE, NONE, 0)
    draws = generator.integers(len(x), size=(resamples, len(x)))
    cells = (draws + len(x) * np.arange(resamples)[:, None]).ravel()
    counts = np.bincount(cells, minlength=draws.size).reshape(draws.shape).astype(np.float64)
    if frontier:
        counts *= (counts > 0).astype(np.float64) @ beaten_by == 0
    a, b, r_squared = weighted(x, distortion, counts)
    used = int(np.isfinite(b).sum())
    ends = [_percentiles(v, level) for v in (a, b, r_squared)]
    return Intervals(ends[0], ends[1], ends[2], used)


def _percentiles(values: NDArray[np.float64], level: float) -> Interval:
    values = values[np.isfinite(values)]
    if not len(values):
        return NONE
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
