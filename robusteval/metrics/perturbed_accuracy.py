"""PA: accuracy on the valid images of a search."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts, estimate


def perturbed_accuracy(right: NDArray[np.bool_], valid: NDArray[np.bool_]) -> float:
    """Return the share, in [0, 1], of the images ``valid`` (N,) with a ``right`` (N,) prediction.

    NaN if none is valid. With the verdicts on the searched images it is PA, with those on their
    plain round trips PA_0, with those on the originals the standard accuracy on valid images.

    Raises:
        ValueError: there is no image, the shapes differ, or an array is not boolean.
    """
    return estimate("pa", Verdicts(right, right, right, valid))
