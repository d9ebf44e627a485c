"""Maximum logit score (MLS): how far the strongest class speaks up, not normalised."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.scores._logits import checked


def max_logit(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the largest logit (N,), float64, of ``logits`` (N, K).

    Unlike a probability it changes when a constant is added to all logits of an image, so it may
    be compared between images of one model, not between models.

    Source: Hendrycks et al., "Scaling out-of-distribution detection for real-world settings",
        ICML 2022.

    Raises:
        ValueError: ``logits`` is not (N, K) with at least one image and two classes, or holds NaN
            or infinity.
    """
    score: NDArray[np.float64] = checked(logits).max(axis=1)
    return score
