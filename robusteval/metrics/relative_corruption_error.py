"""Rise of the error under one corruption as a share of a baseline model's rise."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


def relative_corruption_error(
    error: NDArray[np.float64],
    clean_error: float,
    baseline_error: NDArray[np.float64],
    baseline_clean_error: float,
) -> float:
    """Return the relative corruption error of one corruption as a fraction; lower is better.

    ``sum_s (E_s - E_clean) / sum_s (E_s^baseline - E_clean^baseline)`` (Hendrycks & Dietterich
    2019, section 4.3), with ``error`` (S,) at each severity; all four in the same unit.

    Raises:
        ValueError: there is no severity, the shapes differ, an error is missing (NaN), or the
            corruption costs the baseline model nothing, which leaves the ratio undefined.
    """
    check_rows(error=error, baseline_error=baseline_error)
    check_finite(
        error=error,
        clean_error=clean_error,
        baseline_error=baseline_error,
        baseline_clean_error=baseline_clean_error,
    )
    rise = np.sum(np.asarray(baseline_error, np.float64) - baseline_clean_error)
    if rise <= 0:
        raise ValueError(f"the baseline model's errors rise by {rise}: expected more than 0")
    return float(np.sum(np.asarray(error, np.float64) - clean_error) / rise)
