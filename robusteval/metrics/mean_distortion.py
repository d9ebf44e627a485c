"""Mean distortion over the images on which an attack succeeded."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_masks, check_rows


def mean_distortion(distortion: NDArray[np.float64], success: NDArray[np.bool_]) -> float:
    """Return the mean of ``distortion`` (N,) over the images with ``success`` (N,).

    It is NaN if the attack never succeeded. Leaving out the failures, which are the robust images,
    makes a weak attack look small: report the success rate beside it, and the median.

    Raises:
        ValueError: there is no image, the shapes differ, ``success`` is not boolean, or the
            distortion of a success is NaN or infinite.
    """
    check_rows(distortion=distortion, success=success)
    check_masks(success=success)
    if not success.any():
        return float("nan")
    check_finite(distortion_of_successes=distortion[success])
    return float(np.mean(distortion[success], dtype=np.float64))
