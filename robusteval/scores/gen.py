"""GEN: a generalised entropy that looks at the shape of the first probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.scores._logits import log_softmax


def gen(
    logits: NDArray[np.floating[Any]], *, gamma: float = 0.1, top: int = 100
) -> NDArray[np.float64]:
    """Return ``-sum_j p_j^gamma (1 - p_j)^gamma`` (N,), float64, over the ``top`` largest p.

    It lies in [-top / 4^gamma, 0]; ``logits`` is (N, K), and with K classes or fewer in ``top``
    all count. It is a sum, as in the paper and in OpenOOD v1.5; pytorch-ood divides it by the
    number of terms, which orders images in the same way, and clips p to [1e-7, 1 - 1e-7], which
    does not: with a small gamma, classes less likely than that still count.

    Source: Liu, Lochman & Zach, "GEN: pushing the limits of softmax-based out-of-distribution
        detection", CVPR 2023: gamma 0.1 and, for ImageNet, the first 100 classes.

    Raises:
        ValueError: ``logits`` is not (N, K) with at least one image and two classes, or holds NaN
            or infinity, or gamma is not a positive number, or ``top`` is below 1.
    """
    if not 0 < gamma < np.inf:
        raise ValueError(f"gamma {gamma}: expected a positive number")
    if top < 1:
        raise ValueError(f"top {top}: expected 1 or more classes")
    log_p = log_softmax(logits)
    classes = log_p.shape[1]
    log_p.sort(axis=1)
    # 1 - p of the likeliest class is the sum of the others: taken from 1, it would round to 0.
    second = log_p[:, -2:-1]
    others = second[:, 0] + np.log(np.exp(log_p[:, :-1] - second).sum(axis=1))
    kept = log_p[:, max(classes - top, 0) :]
    log_q = np.log1p(-np.exp(kept[:, :-1]))
    likeliest = np.exp(gamma * (kept[:, -1] + others))
    score: NDArray[np.float64] = -(np.exp(gamma * (kept[:, :-1] + log_q)).sum(axis=1) + likeliest)
    return score
