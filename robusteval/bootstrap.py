"""Percentile bootstrap: how much a statistic would differ had other images been drawn."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
AT_ONCE = 4_000_000  # numbers in memory

Statistic = Callable[..., NDArray[np.float64]]


def bootstrap(
    values: NDArray[np.float64],
    statistic: Statistic,
    generator: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Return the percentile interval (low, high) of ``statistic`` of ``values`` (N,).

    ``statistic`` takes an array and an axis, such as ``np.mean`` or ``np.median``. One value says
    nothing about its spread: NaN then. An infinite end is one that many resamples have.

    Raises:
        ValueError: a value is NaN, or ``level`` is not between 0 and 1.

    Source: Efron & Tibshirani, "An introduction to the bootstrap", 1993, section 13.3.
    """
    if np.isnan(values).any():
        raise ValueError(f"{int(np.isnan(values).sum())} values are NaN: numbers expected")
    if not 0 < level < 1:
        raise ValueError(f"level {level}: expected more than 0 and less than 1")
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    at_once = max(1, AT_ONCE // n)
    found = [
        statistic(values[generator.integers(n, size=(min(at_once, resamples - done), n))], axis=1)
        for done in range(0, resamples, at_once)
    ]
    # No interpolation, which between two infinite resamples would be NaN.
    tails = np.quantile(
        np.concatenate(found), [(1 - level) / 2, (1 + level) / 2], method="closest_observation"
    )
    return float(tails[0]), float(tails[1])
