"""Distance to the k-th nearest training image, on the unit sphere of features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.feature_scores._features import blocks, checked
from robusteval.feature_scores._training import Statistics, Training

SMALLEST = 1e-12  # a length below this is taken for this: a feature of nothing has no direction


def fit(training: Training, *, k: int = 50) -> dict[str, NDArray[Any]]:
    """Return the training features at unit length (N, D) and ``k``.

    The paper takes k = 50 for CIFAR-10, 200 for CIFAR-100 and 1,000 for ImageNet with all training
    images, fewer in proportion with a part of them.

    Raises:
        ValueError: ``k`` is not in 1 to N.
    """
    if not 1 <= k <= len(training.features):
        raise ValueError(f"k {k}: expected 1 to {len(training.features)}, the training images")
    return {"features": _unit(training.features.astype(np.float64)), "k": np.array(k)}


def knn(
    features: NDArray[np.floating[Any]] | None,
    logits: NDArray[np.floating[Any]],
    statistics: Statistics,
) -> NDArray[np.float64]:
    """Return the distance to the k-th nearest training feature, negated (N,), float64.

    Both are brought to unit length first, so it lies in [-2, 0]; the logits are not looked at.
    The search is exact.

    Source: Sun et al., "Out-of-distribution detection with deep nearest neighbors", ICML 2022.

    Raises:
        ValueError: there are no features, they are of another shape than the fitted ones, or hold
            NaN or infinity.
    """
    known, k = statistics["features"], int(statistics["k"])
    rows = checked("knn", features, known.shape[1])
    score = np.empty(len(rows))
    for part, block in blocks(rows, len(known)):
        unit = _unit(block)
        neighbour = np.argpartition(-(unit @ known.T), k - 1, axis=1)[:, k - 1]
        # The cosine of a near neighbour rounds to 1; the difference tells the distance.
        score[part] = -np.sqrt(np.sum((unit - known[neighbour]) ** 2, axis=1))
    return score


def _unit(features: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt(np.sum(features**2, axis=1, keepdims=True))
    unit: NDArray[np.float64] = features / np.maximum(lengths, SMALLEST)
    return unit
