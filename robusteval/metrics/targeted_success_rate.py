"""Share of the attacked images that a model takes for the class that the attack was to reach."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks, check_rows


def targeted_success_rate(
    prediction: NDArray[np.integer[Any]],
    target: NDArray[np.integer[Any]],
    attacked: NDArray[np.bool_],
) -> float:
    """Return the share, in [0, 1], of ``attacked`` (N,) with ``prediction`` (N,) at ``target``.

    An image that ends in a third class is no success. The code released with Su et al. (2018) also
    counts a target whose logit is within 0.001 of the largest; this does not.

    Raises:
        ValueError: the shapes differ, ``attacked`` is not boolean, no image was attacked, which
            leaves the rate undefined, or an attacked image has no target.
    """
    check_rows(prediction=prediction, target=target, attacked=attacked)
    check_masks(attacked=attacked)
    if not attacked.any():
        raise ValueError(f"none of {len(attacked)} images was attacked: expected at least one")
    if (missing := int(np.count_nonzero(target[attacked] < 0))) > 0:
        raise ValueError(f"{missing} attacked images without a target: expected a class from 0 up")
    return float(np.mean((prediction == target)[attacked], dtype=np.float64))
