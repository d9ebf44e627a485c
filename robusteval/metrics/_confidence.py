"""Means of what a model says, over the images on which an attack succeeded."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks
from robusteval.metrics._probabilities import check_probabilities


def of_successes(
    probability: NDArray[np.floating[Any]], success: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the rows of ``probability`` (N, K) with ``success`` (N,), (n, K), float64.

    Raises:
        ValueError: they are no probabilities, the shapes differ, or ``success`` is not boolean.
    """
    check_probabilities(probability=probability)
    check_masks(success=success)
    if success.shape != probability.shape[:1]:
        raise ValueError(
            f"shapes probability {probability.shape}, success {success.shape}: expected (N, K) and "
            "(N,)"
        )
    rows: NDArray[np.float64] = probability[success].astype(np.float64)
    return rows


def mean(values: NDArray[np.float64]) -> float:
    """Return the mean of ``values`` (n,); NaN if there is none."""
    return float(np.mean(values)) if len(values) else float("nan")
