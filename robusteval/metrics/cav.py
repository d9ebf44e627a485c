"""CAV: how much accuracy a defence gains or costs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._twins import check_predictions
from robusteval.metrics.accuracy import accuracy


def cav(
    label: NDArray[np.integer[Any]],
    prediction: NDArray[np.integer[Any]],
    defended: NDArray[np.integer[Any]],
) -> float:
    """Return the classification accuracy variance, in [-1, 1]; larger is better.

    The accuracy of the ``defended`` model minus that of its undefended twin, from the true
    ``label`` (N,) and the predictions of the twin and of the defended model (N,), on the same clean
    images. It is CRR - CSR.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, or a label is negative.
    """
    check_predictions(label, prediction, defended)
    return accuracy(label, defended) - accuracy(label, prediction)
