"""ASH-S: energy of the logits after most features were set to 0 and the others scaled up."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.feature_scores._features import blocks, checked
from robusteval.feature_scores._training import Statistics, Training
from robusteval.scores.energy import energy


def fit(training: Training, *, percentile: float = 65) -> dict[str, NDArray[np.float64]]:
    """Return the ``percentile`` and the last layer; training images are not looked at.

    Raises:
        ValueError: the model has no linear last layer, or so high a percentile keeps no feature.
    """
    weight, bias = training.last_layer("ash")
    size = weight.shape[1]
    if percentile < 0 or _kept(size, percentile) < 1:
        raise ValueError(f"percentile {percentile} of {size} features: expected at least one kept")
    return {"percentile": np.array(float(percentile)), "weight": weight, "bias": bias}


def ash(
    features: NDArray[np.floating[Any]] | None,
    logits: NDArray[np.floating[Any]],
    statistics: Statistics,
) -> NDArray[np.float64]:
    """Return the energy (N,), float64, of the last layer on pruned and scaled features (N, D).

    An image's features below its own ``percentile`` are set to 0 and the others multiplied by
    exp(s1 / s2), the sums before and after. Equal features at the bound are all kept. The logits
    are made again, those given are not looked at.

    Source: Djurisic et al., "Extremely simple activation shaping for out-of-distribution
        detection", ICLR 2023, variant S; on pooled features as in OpenOOD v1.5.

    Raises:
        ValueError: there are no features, they are of another shape than the fitted ones, hold NaN
            or infinity, or those kept of an image add up to less than 0, for which the method,
            made for activations after a ReLU, says nothing.
    """
    weight, bias = statistics["weight"], statistics["bias"]
    rows = checked("ash", features, weight.shape[1])
    kept = _kept(weight.shape[1], float(statistics["percentile"]))
    score = np.empty(len(rows))
    for part, block in blocks(rows, len(bias)):
        bound = np.partition(block, -kept, axis=1)[:, -kept, None]
        pruned = np.where(block >= bound, block, 0.0)
        before, after = block.sum(axis=1), pruned.sum(axis=1)
        if (bad := np.flatnonzero((after < 0) | ((after == 0) & (before != 0)))).size:
            raise ValueError(
                f"the {kept} largest features of the image at row {part.start + bad[0]} add up to "
                f"{after[bad[0]]:.3g}: expected more than 0, score ash is for activations after a "
                "ReLU, take another for this model"
            )
        # An image without any activation has nothing to scale.
        scale = np.exp(np.divide(before, after, out=np.zeros_like(after), where=after > 0))
        score[part] = energy(pruned * scale[:, None] @ weight.T + bias)
    return score


def _kept(size: int, percentile: float) -> int:
    return size - round(size * percentile / 100)
