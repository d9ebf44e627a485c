"""Error under one corruption as a share of a baseline model's error (Hendrycks & Dietterich)."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


def corruption_error(error: NDArray[np.float64], baseline_error: NDArray[np.float64]) -> float:
    """Return the corruption error CE of one corruption as a fraction; lower is better.

    ``CE = sum_s E_s / sum_s E_s^baseline`` (Hendrycks & Dietterich 2019, section 4.3), with the
    top-1 error ``error`` (S,) at each severity and that of the baseline model, in the same unit.

    Raises:
        ValueError: there is no severity, the shapes differ, an error is missing (NaN), or the
            baseline model makes no error, which leaves the ratio undefined.
    """
    check_rows(error=error, baseline_error=baseline_error)
    check_finite(error=error, baseline_error=baseline_error)
    total = np.sum(baseline_error, dtype=np.float64)
    if total <= 0:
        raise ValueError(f"baseline errors add up to {total}: expected more than 0")
    return float(np.sum(error, dtype=np.float64) / total)
