"""Mean over corruptions of the rise of the error as a share of a baseline's: relative mCE."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_keys
from robusteval.metrics.relative_corruption_error import relative_corruption_error


def relative_mean_corruption_error(
    errors: Mapping[str, NDArray[np.float64]],
    clean_error: float,
    baseline: Mapping[str, NDArray[np.float64]],
    baseline_clean_error: float,
) -> float:
    """Return the relative mCE, a mean over corruptions, as a fraction; lower is better.

    Both mappings go from a corruption's name to its errors (S,), one a severity; all errors are
    in the same unit (Hendrycks & Dietterich 2019, section 4.3).

    Raises:
        ValueError: the names differ, there are none, or one relative error is undefined.
    """
    check_keys(errors, baseline)
    each = [
        relative_corruption_error(errors[name], clean_error, baseline[name], baseline_clean_error)
        for name in errors
    ]
    return float(np.mean(each, dtype=np.float64))
