"""Paired comparisons: two sets of answers to the same images."""

import math

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
RESAMPLES = 2_000  # the standard error of an end of the interval is then about 2% of its width
CHUNK = 2_000_000  # drawn images at a time: 16 MB


def mcnemar(first: Bools, second: Bools) -> tuple[int, int, float]:
    """Return (only the first right, only the second right, exact two-sided p) of answers (N,).

    McNemar (1947), with the binomial distribution in place of its approximation: of the images on
    which the two differ, each is as likely to be either's. Without such an image p is 1.
    """
    only_first = int(np.sum(first & ~second))
    only_second = int(np.sum(second & ~first))
    n, least = only_first + only_second, min(only_first, only_second)
    # Each term from the last in logarithms: 2^-n is no float64 from n = 1075 on.
    terms = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
        for k in range(least + 1)
    ]
    top = max(terms)
    tail = math.exp(top) * math.fsum(math.exp(term - top) for term in terms)
    return only_first, only_second, min(1.0, 2 * tail)


def bootstrap(
    differences: Floats,
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """Return (low, high, two-sided p) of the mean of differences (N,), one an image.

    The percentile interval over ``resamples`` draws of N images with replacement; p is twice the
    share of draws whose mean lies on the other side of 0, at least 2 / (resamples + 1).
    """
    n = len(differences)
    if n < 2:
        return math.nan, math.nan, 1.0
    means = np.empty(resamples)
    step = max(1, CHUNK // n)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        drawn = rng.integers(n, size=(stop - start, n))
        means[start:stop] = differences[drawn].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    beyond = min(np.sum(means <= 0), np.sum(means >= 0))
    return float(low), float(high), float(min(1.0, 2 * (beyond + 1) / (resamples + 1)))


def holm(p: list[float]) -> list[float]:
    """Return p values as large as many tests at a time make them, in the given order.

    Holm (1979): the chance that any of the true hypotheses is called false stays below the level.
    """
    order = np.argsort(p, kind="stable")
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, p[i] * (len(p) - rank)))
        adjusted[i] = largest
    return adjusted
