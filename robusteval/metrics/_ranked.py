"""Sums over images in the order of their confidence, where equal confidences have no order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def sums(confidence: NDArray[np.float64], values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sums (N + 1,) of ``values`` over the 0, 1, ... N most confident images.

    Among images of equal confidence it is the sum expected when their order is drawn at random:
    the group's mean counts for each of them. So the order in which images come changes nothing.
    """
    order = np.argsort(-confidence, kind="stable")
    ranked = confidence[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1) + 1
    total = np.cumsum(values[order], dtype=np.float64)
    at = np.append(0, ends)
    summed: NDArray[np.float64] = np.interp(
        np.arange(len(ranked) + 1), at, np.append(0.0, total[ends - 1])
    )
    return summed
