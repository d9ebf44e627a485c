"""Share of one model's targeted images whose target another model has among its first classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks, check_rows


def targeted_transfer_rate(
    logits: NDArray[np.float32],
    target: NDArray[np.integer[Any]],
    population: NDArray[np.bool_],
    *,
    k: int = 5,
) -> float:
    """Return the share, in [0, 1], of ``population`` (N,) with ``target`` in the first ``k``.

    ``logits`` (N, K) are the target model's on images made against the source model, ``target``
    (N,) the class that each attack was to reach. Of equal logits the class of the smaller number
    comes first, so that ``k=1`` is the rate at which the prediction is the target. By chance a
    class is among the first ``k`` at a rate of k / K.

    Source: Su et al., "Is robustness the cost of accuracy?", ECCV 2018, section 3.4, whose
        matrices show k = 5; their code also logs k = 1.

    Raises:
        ValueError: the shapes differ, ``population`` is not boolean or is empty, an image of it
            has no target among the K classes, a logit is NaN, or ``k`` is not in 1 to K - 1.
    """
    check_rows(target=target, population=population)
    check_masks(population=population)
    if logits.ndim != 2 or len(logits) != len(target):
        raise ValueError(f"logits {logits.shape}, target {target.shape}: expected (N, K) and (N,)")
    if not population.any():
        raise ValueError(
            f"none of {len(target)} images is in the population: expected at least one"
        )
    classes = logits.shape[1]
    if not 0 < k < classes:
        raise ValueError(f"k {k}: expected 1 to {classes - 1}, fewer than the {classes} classes")
    rows, wanted = logits[population], target[population]
    if wanted.min() < 0 or wanted.max() >= classes:
        raise ValueError(
            f"targets from {wanted.min()} to {wanted.max()}: expected 0 to {classes - 1} for each"
        )
    if np.isnan(rows).any():
        raise ValueError("a logit is NaN: expected numbers")
    own = np.take_along_axis(rows, wanted[:, None], axis=1)
    smaller = np.arange(classes) < wanted[:, None]
    before = np.count_nonzero((rows > own) | ((rows == own) & smaller), axis=1)
    return float(np.mean(before < k, dtype=np.float64))
