"""CRR: which share of the images a defence puts right."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._twins import check_predictions


def crr(
    label: NDArray[np.integer[Any]],
    prediction: NDArray[np.integer[Any]],
    defended: NDArray[np.integer[Any]],
) -> float:
    """Return the classification rectify ratio, in [0, 1]; larger is better.

    The share of all images that the ``defended`` model gets right and its undefended twin does not,
    from the true ``label`` (N,) and the predictions of the twin and of the defended model (N,).

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, or a label is negative.
    """
    check_predictions(label, prediction, defended)
    return float(np.mean((prediction != label) & (defended == label), dtype=np.float64))
