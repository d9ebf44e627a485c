"""Mean over corruptions of the error as a share of a baseline model's error: mCE."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_keys
from robusteval.metrics.corruption_error import corruption_error


def mean_corruption_error(
    errors: Mapping[str, NDArray[np.float64]], baseline: Mapping[str, NDArray[np.float64]]
) -> float:
    """Return mCE, the unweighted mean of the corruption errors, as a fraction; lower is better.

    Both mappings go from a corruption's name to its errors (S,), one a severity (Hendrycks &
    Dietterich 2019, section 4.3). Corruptions are matched by name: lists in different orders
    circulate, and a mismatch would not be seen in the mean.

    Raises:
        ValueError: the names differ, there are none, or one corruption error is undefined.
    """
    check_keys(errors, baseline)
    each = [corruption_error(errors[name], baseline[name]) for name in errors]
    return float(np.mean(each, dtype=np.float64))
