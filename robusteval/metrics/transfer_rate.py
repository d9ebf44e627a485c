"""Share of one model's adversarial images that another model gets wrong."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks, check_rows


def transfer_rate(
    prediction: NDArray[np.integer[Any]],
    label: NDArray[np.integer[Any]],
    population: NDArray[np.bool_],
) -> float:
    """Return the share, in [0, 1], of ``population`` (N,) with ``prediction`` other than ``label``.

    ``prediction`` (N,) is the target model's class for images made against the source model. The
    population decides what the rate means, so the caller names it: for example all images that the
    source got right before the attack, or those that both models got right.

    Raises:
        ValueError: the shapes differ, ``population`` is not boolean, or it is empty, which leaves
            the rate undefined.
    """
    check_rows(prediction=prediction, label=label, population=population)
    check_masks(population=population)
    if not population.any():
        raise ValueError(f"none of {len(label)} images is in the population: expected at least one")
    return float(np.mean((prediction != label)[population], dtype=np.float64))
