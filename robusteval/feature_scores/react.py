"""ReAct: energy of the logits after features were cut at what is usual in training."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.feature_scores._features import blocks, checked
from robusteval.feature_scores._training import Statistics, Training
from robusteval.scores.energy import energy


def fit(training: Training, *, percentile: float = 90) -> dict[str, NDArray[np.float64]]:
    """Return the cut, at a ``percentile`` of all training activations, and the last layer.

    Raises:
        ValueError: the model has no linear last layer, or ``percentile`` is not in 0 to 100.
    """
    weight, bias = training.last_layer("react")
    if not 0 < percentile <= 100:
        raise ValueError(f"percentile {percentile}: expected more than 0 and at most 100")
    cut = np.percentile(training.features.astype(np.float64), percentile)
    return {"cut": np.array(cut), "weight": weight, "bias": bias}


def react(
    features: NDArray[np.floating[Any]] | None,
    logits: NDArray[np.floating[Any]],
    statistics: Statistics,
) -> NDArray[np.float64]:
    """Return the energy (N,), float64, of the last layer on ``min(features, cut)``.

    ``features`` is (N, D); the logits are made again, those given are not looked at.

    Source: Sun, Guo & Li, "ReAct: out-of-distribution detection with rectified activations",
        NeurIPS 2021: the 90th percentile, and the energy as the score after it.

    Raises:
        ValueError: there are no features, they are of another shape than the fitted ones, or hold
            NaN or infinity.
    """
    weight, bias = statistics["weight"], statistics["bias"]
    rows = checked("react", features, weight.shape[1])
    score = np.empty(len(rows))
    for part, block in blocks(rows, len(bias)):
        score[part] = energy(np.minimum(block, statistics["cut"]) @ weight.T + bias)
    return score
