"""ACAC: how sure a model is of the wrong class, on an attack's successes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._confidence import mean, of_successes


def acac(probability: NDArray[np.floating[Any]], success: NDArray[np.bool_]) -> float:
    """Return the average confidence of the adversarial class, in [1 / K, 1].

    ``1/n sum max_k P(x^a)_k`` over the n images with ``success`` (N,), with ``probability`` (N, K)
    of the adversarial images. High means a strong attack or a weak model; NaN without success.
    Models with few successes are judged on few, hard images: report n beside it.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, ``probability`` is none, or ``success`` is
            not boolean.
    """
    return mean(of_successes(probability, success).max(axis=1))
