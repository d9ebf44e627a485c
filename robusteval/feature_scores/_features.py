"""Features as every score takes them: checked, and a block at a time."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.feature_scores._training import check_finite

ENTRIES = 2**24  # numbers of one block in memory: 128 MiB


def checked(
    score: str, features: NDArray[np.floating[Any]] | None, dimensions: int
) -> NDArray[np.floating[Any]]:
    """Return ``features`` (N, D) as they came, for the score named ``score``.

    Raises:
        ValueError: there are none, they are not (N, ``dimensions``) with at least one image, or
            hold NaN or infinity.
    """
    if features is None:
        raise ValueError(
            f"score {score} needs features, and this model gives none: expected a model with "
            "features, or a score of logits such as max_softmax, energy or gen"
        )
    if features.ndim != 2 or features.shape[0] < 1 or features.shape[1] != dimensions:
        raise ValueError(
            f"features of shape {features.shape}: expected (N, {dimensions}), N at least 1, as "
            f"score {score} was fitted on"
        )
    check_finite("features", features)
    return features


def blocks(
    features: NDArray[np.floating[Any]], width: int
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield slices of the rows and their float64 copies, for results of ``width`` numbers a row."""
    rows = max(ENTRIES // max(width, features.shape[1]), 1)
    for start in range(0, len(features), rows):
        part = slice(start, start + rows)
        yield part, features[part].astype(np.float64, order="C")
