"""ViM: an additional logit for what of a feature lies outside the training images' main space."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.feature_scores._features import blocks, checked
from robusteval.feature_scores._training import Statistics, Training
from robusteval.scores.energy import energy


def fit(training: Training, *, dimensions: int | None = None) -> dict[str, NDArray[np.float64]]:
    """Return the origin (D,) and the base of the residual space, times alpha, (D, D - dimensions).

    The origin is where the last layer's logits are nearest to 0, ``-pinv(W) b``; the main space
    is of the ``dimensions`` directions in which training features lie farthest from it; alpha
    makes the mean residual as large as the mean largest logit. By default ``dimensions`` is, as in
    the paper's code, 1,000 of 2,048 features or more and 512 of fewer; of fewer than 768, where
    that would leave little or nothing, half of them.

    Raises:
        ValueError: the model has no linear last layer, ``dimensions`` is not in 1 to D - 1, or the
            training features leave no residual, so that alpha is not defined.
    """
    weight, bias = training.last_layer("vim")
    size = weight.shape[1]
    if dimensions is None:
        dimensions = 1000 if size >= 2048 else 512 if size >= 768 else size // 2
    if not 1 <= dimensions < size:
        raise ValueError(f"dimensions {dimensions}: expected 1 to {size - 1}, less than features")
    origin = -(np.linalg.pinv(weight) @ bias)
    centred = training.features.astype(np.float64) - origin
    values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))  # from the smallest on
    base = vectors[:, : size - dimensions]
    residual = np.mean(np.sqrt(np.sum((centred @ base) ** 2, axis=1)))
    # Below this, the residual is rounding of the eigenvectors and alpha would amplify it.
    if residual <= np.sqrt(values[-1]) * size * np.finfo(np.float64).eps:
        raise ValueError(
            f"{len(centred)} training features leave no residual outside {dimensions} dimensions: "
            "expected fewer dimensions, or more varied images"
        )
    alpha = np.mean(training.logits.max(axis=1), dtype=np.float64) / residual
    return {"origin": origin, "base": alpha * base}


def vim(
    features: NDArray[np.floating[Any]] | None,
    logits: NDArray[np.floating[Any]],
    statistics: Statistics,
) -> NDArray[np.float64]:
    """Return ``log sum_k exp(z_k) - alpha |x_residual|`` (N,), float64.

    ``features`` (N, D) and ``logits`` (N, K) are of the same images.

    Source: Wang et al., "ViM: out-of-distribution with virtual-logit matching", CVPR 2022; there
        the score is the share of the virtual logit in a softmax over K + 1, which falls as this
        rises.

    Raises:
        ValueError: there are no features, they are of another shape than the fitted ones, not as
            many as logits, or a value is NaN or infinite.
    """
    rows = checked("vim", features, len(statistics["origin"]))
    score = energy(logits)
    if len(rows) != len(score):
        raise ValueError(f"{len(rows)} features, {len(score)} logits: expected as many")
    for part, block in blocks(rows, len(statistics["origin"])):
        residual = (block - statistics["origin"]) @ statistics["base"]
        score[part] -= np.sqrt(np.sum(residual**2, axis=1))
    return score
