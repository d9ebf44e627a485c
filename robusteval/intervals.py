"""Confidence intervals of a rate and of a mean."""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


def wilson(successes: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval (low, high), in [0, 1], of the rate ``successes / n``.

    The closed form of Wilson (1927), without continuity correction. It stays within [0, 1] and is
    not empty at 0 or n successes, where the textbook interval is. The normal quantile comes from
    the standard library: SciPy takes 0.8 s to import, more than the rest of a table.

    Raises:
        ValueError: ``n`` is below 1, ``successes`` not in 0..n, or ``level`` not between 0 and 1.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: expected 0 <= successes <= n, n >= 1")
    if not 0 < level < 1:
        raise ValueError(f"level {level}: expected more than 0 and less than 1")
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (successes + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(successes * (n - successes) / n + z * z / 4)
    # At the ends the closed form is exactly 0 and 1; rounding would leave 1e-17 beside it.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return low, high


def normal(values: NDArray[np.float64], *, level: float = 0.95) -> tuple[float, float]:
    """Return the normal-approximation interval (low, high) of the mean of shares ``values`` (N,).

    For a mean over images whose value is itself a mean, such as the share of 35 conditions that an
    image survives: the images are independent, the conditions of one image are not.

    The interval is cut to [0, 1]. One value says nothing about its spread: NaN then.
    """
    if len(values) < 2:
        return math.nan, math.nan
    z = NormalDist().inv_cdf((1 + level) / 2)
    mean, half = float(np.mean(values)), z * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return max(0.0, mean - half), min(1.0, mean + half)
