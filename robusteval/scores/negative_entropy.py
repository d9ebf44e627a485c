"""Negative entropy of the softmax probabilities: how much of the certainty is on few classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.scores._logits import log_softmax


def negative_entropy(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return ``sum_k p_k log p_k`` (N,), float64, in nats, of ``logits`` (N, K).

    It lies in [-log K, 0]: Shannon's entropy with its sign turned. From log-probabilities, so that
    images whose largest probability rounds to 1 are still told apart.

    Raises:
        ValueError: ``logits`` is not (N, K) with at least one image and two classes, or holds NaN
            or infinity.
    """
    log_p = log_softmax(logits)
    log_p *= np.exp(log_p)  # a probability that underflows counts 0, as its limit does
    score: NDArray[np.float64] = log_p.sum(axis=1) + 0.0  # never -0.0
    return score
