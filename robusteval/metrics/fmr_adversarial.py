"""FMR of the search alone: accuracy after it over the accuracy on plain round trips."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts, estimate


def fmr_adversarial(
    right_round_trip: NDArray[np.bool_],
    right_perturbed: NDArray[np.bool_],
    valid: NDArray[np.bool_],
) -> float:
    """Return PA / PA_0, both on the images ``valid`` (N,); larger is better.

    It leaves out what the generator's blur costs without any search. NaN if no image is valid or
    none of them was right after the round trip, ``right_round_trip`` (N,).

    Raises:
        ValueError: there is no image, the shapes differ, or an array is not boolean.
    """
    return estimate(
        "fmr_adversarial", Verdicts(right_round_trip, right_round_trip, right_perturbed, valid)
    )
