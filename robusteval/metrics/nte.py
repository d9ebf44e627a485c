"""NTE: how far an attack's successes are from being another class again."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._confidence import mean, of_successes


def nte(probability: NDArray[np.floating[Any]], success: NDArray[np.bool_]) -> float:
    """Return the noise tolerance estimation, in [0, 1].

    ``1/n sum P(x^a)_first - P(x^a)_second``, the largest and the second largest probability, over
    the n images with ``success`` (N,), with ``probability`` (N, K) of the adversarial images. High
    means examples that noise does not undo: worse for the model. NaN without success; report n
    beside it.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, ``probability`` is none, or ``success`` is
            not boolean.
    """
    rows = np.sort(of_successes(probability, success), axis=1)
    return mean(rows[:, -1] - rows[:, -2])
