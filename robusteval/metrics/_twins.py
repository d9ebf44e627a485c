"""A defended model and its undefended twin, held against each other on the same images."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_rows
from robusteval.metrics._probabilities import check_labels, check_probabilities


def check_class_lists(classes: Sequence[str], defended: Sequence[str]) -> None:
    """Check that both models know the same classes in the same order.

    Raises:
        ValueError: they do not; the message gives the first difference.
    """
    if len(classes) != len(defended):
        raise ValueError(
            f"the defended model has {len(defended)} classes, its twin {len(classes)}: expected "
            "the same class list"
        )
    for number, (own, other) in enumerate(zip(classes, defended, strict=True)):
        if own != other:
            raise ValueError(
                f"class {number} of the defended model is {other!r}, of its twin {own!r}: expected "
                "the same class list in the same order"
            )


def check_predictions(
    label: NDArray[np.integer[Any]],
    prediction: NDArray[np.integer[Any]],
    defended: NDArray[np.integer[Any]],
) -> None:
    """Check the true classes and both models' predictions, all (N,).

    Raises:
        ValueError: there is no image, the shapes differ, or a label is negative.
    """
    check_rows(label=label, prediction=prediction, defended=defended)
    if label.min() < 0:
        raise ValueError(f"label {label.min()}: expected 0 or more, of known classes")


def both_right(
    label: NDArray[np.integer[Any]],
    probability: NDArray[np.floating[Any]],
    defended: NDArray[np.floating[Any]],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return label (n,) and probabilities (n, K) of the images that both models get right.

    Raises:
        ValueError: there is no image, the shapes differ, a label is no class, or an array holds no
            probabilities.
    """
    check_probabilities(probability=probability, defended=defended)
    if probability.shape != defended.shape:
        raise ValueError(
            f"shapes probability {probability.shape}, defended {defended.shape}: expected the same "
            "images and the same class list"
        )
    check_labels(label, probability)
    right = (probability.argmax(axis=1) == label) & (defended.argmax(axis=1) == label)
    own, other = probability[right].astype(np.float64), defended[right].astype(np.float64)
    return label[right].astype(np.int64), own, other
