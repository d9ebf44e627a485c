"""Margin: how far the first class is ahead of the second."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.scores._logits import checked


def margin(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the largest logit less the second largest (N,), float64, of ``logits`` (N, K).

    It is log(p_1 / p_2) of the two largest probabilities, at least 0, and does not saturate. The
    difference p_1 - p_2, which active learning calls margin (Scheffer et al. 2001), rounds to 1
    and orders images of more than two classes in another way.

    Raises:
        ValueError: ``logits`` is not (N, K) with at least one image and two classes, or holds NaN
            or infinity.
    """
    z = checked(logits)
    z.partition(z.shape[1] - 2, axis=1)
    score: NDArray[np.float64] = z[:, -1] - z[:, -2]
    return score
