"""CCV: how much a defence changes the confidence in right predictions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._confidence import mean
from robusteval.metrics._twins import both_right


def ccv(
    label: NDArray[np.integer[Any]],
    probability: NDArray[np.floating[Any]],
    defended: NDArray[np.floating[Any]],
) -> float:
    """Return the classification confidence variance, in [0, 1); lower is better.

    ``1/n sum |P(x)_y - P^D(x)_y|`` over the n images that both the undefended model, with
    ``probability`` (N, K), and the ``defended`` one (N, K) classify as their ``label`` (N,). NaN if
    there is none.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, a label is no class, or an array holds no
            probabilities.
    """
    y, p, q = both_right(label, probability, defended)
    rows = np.arange(len(y))
    return mean(np.abs(p[rows, y] - q[rows, y]))
