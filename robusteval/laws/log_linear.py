"""The log-linear law: distortion = a + b ln(1 - accuracy), by least squares over models."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robusteval.laws._checks import check_models

FEWEST = 3  # different accuracies


@dataclass(frozen=True)
class LogLinear:
    """A fitted law.

    Attributes:
        a: distortion at an error of 100% (ln 1 = 0), by extrapolation.
        b: change of the distortion where the error grows e-fold; more than 0 says that accurate
            models are moved by smaller changes.
        r_squared: share of the variance of the distortion that the law explains; NaN where all
            distortions are the same.
        n: models.
    """

    a: float
    b: float
    r_squared: float
    n: int


def log_linear(accuracy: NDArray[np.float64], distortion: NDArray[np.float64]) -> LogLinear:
    """Return the least-squares fit of distortion (N,) = a + b ln(1 - ``accuracy`` (N,)).

    Source: Su et al., "Is robustness the cost of accuracy?", ECCV 2018: the distortion is linear
        in the logarithm of the classification error.

    Raises:
        ValueError: the shapes differ, an accuracy is not in [0, 1) (1 has no logarithm), a number
            is not finite, or the models have fewer than three different accuracies: through two
            points a line always goes.
    """
    x = log_error(accuracy)
    check_models(accuracy=accuracy, distortion=distortion)
    if (different := len(np.unique(x))) < FEWEST:
        raise ValueError(
            f"{len(x)} models with {different} different accuracies: expected {FEWEST} or more"
        )
    a, b, r_squared = (float(v[0]) for v in weighted(x, distortion, np.ones((1, len(x)))))
    return LogLinear(a, b, r_squared, len(x))


def log_error(accuracy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(1 - ``accuracy``) (N,).

    Raises:
        ValueError: an accuracy is not in [0, 1).
    """
    outside = ~((accuracy >= 0) & (accuracy < 1))
    if outside.any():
        raise ValueError(f"accuracy {accuracy[outside][0]}: expected 0 or more and less than 1")
    return np.log1p(-accuracy)


def weighted(
    x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return a, b and R squared (R,) of y = a + b x, (N,), for each row of ``weights`` (R, N).

    All three are NaN for a row that has no two different x, R squared for one without different y.
    """
    total = weights.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_x, mean_y = weights @ x / total, weights @ y / total
        dx, dy = x - mean_x[:, None], y - mean_y[:, None]
        varied_x, varied_y = (_varied(v, weights) for v in (x, y))
        sxx, syy, sxy = ((weights * u * v).sum(1) for u, v in ((dx, dx), (dy, dy), (dx, dy)))
        b = np.where(varied_x, sxy / sxx, np.nan)
        r_squared = np.where(varied_x & varied_y, sxy**2 / (sxx * syy), np.nan)
    return mean_y - b * mean_x, b, r_squared


def _varied(v: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for which rows of ``weights`` ``v`` has two different values: a rounded sum of
    squares would be a little more than 0 where there is one."""
    counted = weights > 0
    low = np.where(counted, v, np.inf).min(1)
    high = np.where(counted, v, -np.inf).max(1)
    return np.asarray(high > low, np.bool_)
