"""Share of images whose predicted class is the true one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_rows


def accuracy(label: NDArray[np.integer[Any]], prediction: NDArray[np.integer[Any]]) -> float:
    """Return the share of images, in [0, 1], with ``prediction`` (N,) equal to ``label`` (N,).

    Raises:
        ValueError: there is no image, the shapes differ, or a label is negative: an image of an
            unknown class has no right prediction.
    """
    check_rows(label=label, prediction=prediction)
    if np.min(label) < 0:
        raise ValueError(f"label {np.min(label)}: expected 0 or more, accuracy is of known classes")
    return float(np.mean(label == prediction, dtype=np.float64))
