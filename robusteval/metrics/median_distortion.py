"""Median distortion over all attacked images, a failure counting as infinite."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows


def median_distortion(distortion: NDArray[np.float64], success: NDArray[np.bool_]) -> float:
    """Return the median of ``distortion`` (N,) with infinity where ``success`` (N,) is false.

    Give the attacked images only. The median is infinite if half of the attacks or more failed
    (with an even N, the mean of the two middle values). Unlike the mean over successes, it cannot
    get smaller because hard images were given up.

    Raises:
        ValueError: there is no image, the shapes differ, ``success`` is not boolean, or the
            distortion of a success is NaN or infinite.
    """
    check_rows(distortion=distortion, success=success)
    check_masks(success=success)
    check_finite(distortion_of_successes=distortion[success])
    return float(np.median(np.where(success, np.asarray(distortion, np.float64), np.inf)))
