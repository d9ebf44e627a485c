"""PA_all: accuracy on all images of a search, with the original where none is valid."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts, estimate


def perturbed_accuracy_all(
    right: NDArray[np.bool_], right_perturbed: NDArray[np.bool_], valid: NDArray[np.bool_]
) -> float:
    """Return the share of images, in [0, 1], with a right prediction after the search.

    That of the searched image, ``right_perturbed`` (N,), counts where it is ``valid`` (N,), else
    that of the original, ``right`` (N,), which the search hands back there.

    Raises:
        ValueError: there is no image, the shapes differ, or an array is not boolean.
    """
    return estimate("pa_all", Verdicts(right, right, right_perturbed, valid))
