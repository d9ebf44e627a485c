"""FMR: accuracy on the valid images of a search over the accuracy on all originals."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts, estimate


def fmr(
    right: NDArray[np.bool_], right_perturbed: NDArray[np.bool_], valid: NDArray[np.bool_]
) -> float:
    """Return PA / SA; larger is better, and it may exceed 1 (printed times 100, as a percentage).

    PA is the accuracy ``right_perturbed`` (N,) on the images ``valid`` (N,), SA the accuracy
    ``right`` (N,) on all originals. NaN if no image is valid or SA is 0. Valid images tend to be
    easy ones; `fmr_valid` takes both accuracies on the same images.

    Raises:
        ValueError: there is no image, the shapes differ, or an array is not boolean.

    Source: Zhang et al., "Foundation model-oriented robustness", ICLR 2024, arXiv 2308.10632; the
        ratio is confirmed by its public reviews, that PA is of valid images only is a reading.
    """
    return estimate("fmr", Verdicts(right, right, right_perturbed, valid))
