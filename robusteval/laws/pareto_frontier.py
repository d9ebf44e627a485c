"""The models that no other beats in both accuracy and robustness."""

import numpy as np
from numpy.typing import NDArray

from robusteval.laws._checks import check_models


def pareto_frontier(
    accuracy: NDArray[np.float64], robustness: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which models (N,) are on the Pareto frontier; larger is better in both.

    A model is beaten by one that is at least as good in both and better in one; models with the
    same numbers do not beat each other.

    Raises:
        ValueError: the shapes differ, or a number is NaN or infinite.
    """
    return np.asarray(~dominated(accuracy, robustness).any(axis=0), np.bool_)


def dominated(accuracy: NDArray[np.float64], robustness: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return (N, N): whether the model of the row beats the model of the column."""
    check_models(accuracy=accuracy, robustness=robustness)
    both = (accuracy, robustness)
    as_good = np.all([v[:, None] >= v for v in both], axis=0)
    better = np.any([v[:, None] > v for v in both], axis=0)
    return np.asarray(as_good & better, np.bool_)
