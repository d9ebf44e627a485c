"""FMR on the valid images only: both accuracies of the ratio are of the same images."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts, estimate


def fmr_valid(
    right: NDArray[np.bool_], right_perturbed: NDArray[np.bool_], valid: NDArray[np.bool_]
) -> float:
    """Return PA over the accuracy on the originals of the valid images; larger is better.

    It leaves out what makes `fmr` exceed 1 by selection alone: that the oracle accepts the easy
    images. NaN if no image is ``valid`` (N,) or none of them was ``right`` (N,).

    Raises:
        ValueError: there is no image, the shapes differ, or an array is not boolean.
    """
    return estimate("fmr_valid", Verdicts(right, right, right_perturbed, valid))
