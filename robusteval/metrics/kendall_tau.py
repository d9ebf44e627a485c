"""Kendall's tau: how far two measurements put the same models in the same order."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


def kendall_tau(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return tau-b of the values ``first`` (M,) and ``second`` (M,) of M models, in [-1, 1].

    ``(C - D) / sqrt((P - T_1) (P - T_2))`` with C and D the pairs of models in the same and in the
    opposite order, P all pairs and T those that are tied in one measurement. It is 1 for the same
    order, -1 for the reverse, about 0 for orders that have nothing to do with each other. Give
    both so that larger is better, or both so that smaller is.

    Source: Kendall, "The treatment of ties in ranking problems", Biometrika 1945.

    Raises:
        ValueError: the shapes differ, a value is NaN or infinite, or a measurement gives all
            models one value (or there is one model), which leaves it undefined.
    """
    check_rows(first=first, second=second)
    check_finite(first=first, second=second)
    a = np.sign(np.subtract.outer(first, first))
    b = np.sign(np.subtract.outer(second, second))
    untied = np.count_nonzero(a), np.count_nonzero(b)  # each pair twice, as in the sum below
    if 0 in untied:
        which = "first" if not untied[0] else "second"
        raise ValueError(
            f"one value for all {len(first)} models in the {which} measurement: expected at least "
            "two, equal ones have no order"
        )
    return float(np.sum(a * b) / np.sqrt(untied[0] * untied[1]))
