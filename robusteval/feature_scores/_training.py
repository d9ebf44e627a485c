"""What a model says about its training images, from which the scores take their statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Statistics = Mapping[str, NDArray[Any]]

AGREEMENT = 0.02  # of the largest logit: half precision differs by less, another layer by more


@dataclass(frozen=True)
class Training:
    """Features (N, D), labels (N,) and logits (N, K) of training images, and the last layer.

    The last layer is ``logits = features @ weight.T + bias`` with ``weight`` (K, D) and ``bias``
    (K,); leave both out for a model whose last layer is another.

    Raises:
        ValueError: there is no image, shapes do not fit, a value is NaN or infinite, a label is
            none of the K classes, or the last layer does not lead from the features to the logits.
    """

    features: NDArray[np.floating[Any]]
    labels: NDArray[np.integer[Any]]
    logits: NDArray[np.floating[Any]]
    weight: NDArray[np.floating[Any]] | None = None
    bias: NDArray[np.floating[Any]] | None = None

    def __post_init__(self) -> None:
        if self.features.ndim != 2 or self.logits.ndim != 2 or not self.features.size:
            raise ValueError(
                f"features {self.features.shape}, logits {self.logits.shape} of training images: "
                "expected (N, D) and (N, K), N at least 1"
            )
        n, classes = self.logits.shape
        if len(self.features) != n or self.labels.shape != (n,):
            raise ValueError(
                f"{len(self.features)} features, {n} logits and labels of shape "
                f"{self.labels.shape}: expected one of each a training image"
            )
        if self.labels.min() < 0 or self.labels.max() >= classes:
            raise ValueError(
                f"labels of training images from {self.labels.min()} to {self.labels.max()}: "
                f"expected 0 to {classes - 1}, leave unknown classes out"
            )
        for name in ("features", "logits"):
            check_finite(name, getattr(self, name))
        if self.weight is not None:
            self._check_last_layer()

    def last_layer(self, score: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ``weight`` (K, D) and ``bias`` (K,) in float64.

        Raises:
            ValueError: the model has no such layer; the message names ``score``.
        """
        if self.weight is None or self.bias is None:
            raise ValueError(
                f"score {score} needs the weight and bias of a linear last layer, which this "
                "model does not give: expected both, or a score such as energy, knn or mahalanobis"
            )
        return self.weight.astype(np.float64), self.bias.astype(np.float64)

    def _check_last_layer(self) -> None:
        weight, bias = self.last_layer("")
        expected = self.logits.shape[1], self.features.shape[1]
        if weight.shape != expected or bias.shape != expected[:1]:
            raise ValueError(
                f"weight {weight.shape} and bias {bias.shape}: expected {expected} and "
                f"{expected[:1]}, as features and logits are"
            )
        some = slice(0, 1000)
        logits = self.features[some].astype(np.float64) @ weight.T + bias
        worst = np.abs(logits - self.logits[some]).max()
        largest = np.abs(self.logits[some]).max()
        if not worst <= AGREEMENT * largest:
            raise ValueError(
                f"features times the last layer differ from the logits by up to {worst:.3g} of "
                f"{largest:.3g}: expected at most {AGREEMENT:.0%}, the features are of another "
                "layer or were taken before something else"
            )


def check_finite(name: str, rows: NDArray[np.floating[Any]]) -> None:
    """Check that ``rows`` (N, D) hold neither NaN nor infinity.

    Raises:
        ValueError: one does; the message gives its name and the first such image.
    """
    finite = np.isfinite(rows)
    if not finite.all():
        bad = np.flatnonzero(~finite.all(axis=1))
        raise ValueError(
            f"{name} of {len(bad)} of {len(rows)} images, the first at row {bad[0]}, hold NaN or "
            "infinity: expected finite numbers"
        )
