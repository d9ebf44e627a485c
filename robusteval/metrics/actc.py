"""ACTC: how much a model still believes in the true class, on an attack's successes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._confidence import mean, of_successes
from robusteval.metrics._probabilities import check_labels


def actc(
    probability: NDArray[np.floating[Any]],
    label: NDArray[np.integer[Any]],
    success: NDArray[np.bool_],
) -> float:
    """Return the average confidence of the true class, ``1/n sum P(x^a)_y``, in [0, 0.5].

    It is over the n images with ``success`` (N,), with ``probability`` (N, K) of the adversarial
    images and the true ``label`` (N,), for targeted attacks too. Low means a strong attack or a
    weak model; NaN without success. Report n beside it.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, a label is no class, ``probability`` is
            none, or ``success`` is not boolean.
    """
    rows = of_successes(probability, success)
    check_labels(label, probability)
    return mean(np.take_along_axis(rows, label[success][:, None], axis=1)[:, 0])
