"""Calibration error in ranges of equally many images, where bins of equal width stay empty."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._probabilities import check_calibration
from robusteval.metrics._ranked import sums


def adaptive_calibration_error(
    confidence: NDArray[np.float64], correct: NDArray[np.bool_], *, bins: int = 15
) -> float:
    """Return the calibration error over ranges of equal mass, in [0, 1]; lower is better.

    ``sum_r (n_r / N) |share right in r - mean confidence in r|``, the images in the order of their
    confidence cut into ``bins`` ranges of N / bins images, a whole number or not: an image on a
    cut counts in parts, and so do images of equal confidence.

    ``confidence`` (N,) is the probability of the predicted class and ``correct`` (N,) whether it
    is right. The ACE of the paper looks at all classes: it is the mean over the classes of this,
    with that class's probability as ``confidence`` and whether it is the label as ``correct``.

    Source: Nixon et al., "Measuring calibration in deep learning", CVPR workshops 2019.

    Raises:
        ValueError: there is no image, the shapes differ, ``correct`` is not boolean, a confidence
            is NaN, infinite or outside [0, 1], or there is no range, or more than images.
    """
    check_calibration(confidence, correct, bins)
    n = len(confidence)
    if bins > n:
        raise ValueError(f"{bins} bins of {n} images: expected at least one image a bin")
    p = confidence.astype(np.float64)
    cuts = np.arange(bins + 1) * n / bins
    gaps = np.diff(np.interp(cuts, np.arange(n + 1), sums(p, correct - p)))
    return float(np.abs(gaps).sum() / n)
