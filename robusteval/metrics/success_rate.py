"""Share of the attacked images on which an attack succeeded."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks, check_rows


def success_rate(success: NDArray[np.bool_], attacked: NDArray[np.bool_]) -> float:
    """Return the share, in [0, 1], of the images ``attacked`` (N,) that have ``success`` (N,).

    The images not attacked, such as those the model got wrong before the attack, are left out of
    both parts of the ratio.

    Raises:
        ValueError: the shapes differ, an array is not boolean, or no image was attacked, which
            leaves the rate undefined.
    """
    check_rows(success=success, attacked=attacked)
    check_masks(success=success, attacked=attacked)
    if not attacked.any():
        raise ValueError(f"none of {len(attacked)} images was attacked: expected at least one")
    return float(np.mean(success[attacked], dtype=np.float64))
