"""Maximum softmax probability (MSP), on a logarithmic scale that does not saturate."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.scores._logits import checked


def max_softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the logarithm of the largest softmax probability (N,), float64, of ``logits`` (N, K).

    The score lies in [-log K, 0] and orders images as the probability does (Hendrycks & Gimpel
    2017). The probability itself rounds to exactly 1 once the other classes add up to less than
    1e-16 (6e-8 in float32), and equal scores cannot be thresholded; the logarithm still tells
    such images apart. For a histogram or an axis, ``np.exp(score)`` is the probability, in
    [1 / K, 1]; a threshold is turned into one in the same way.

    Raises:
        ValueError: ``logits`` is not (N, K) with at least one image and two classes, or holds NaN
            or infinity.
    """
    z = checked(logits)
    largest = z.argmax(axis=1)[:, None]
    z -= np.take_along_axis(z, largest, axis=1)
    np.exp(z, out=z)  # in place: 50,000 images of 1,000 classes are 400 MB
    # log p_max = -log(1 + rest): with the leading 1 kept out of the sum, log1p sees small rests.
    np.put_along_axis(z, largest, 0.0, axis=1)
    score: NDArray[np.float64] = 0.0 - np.log1p(z.sum(axis=1))  # 0.0 - x is never -0.0
    return score
