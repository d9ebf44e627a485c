"""Shares of flags, as the coverage metrics count them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks, check_rows


def share(**flags: NDArray[np.bool_]) -> float:
    """Return the share, in [0, 1], of the named ``flags``, all (U,), that are set.

    Raises:
        ValueError: there is no neuron, the shapes differ, or an array is not boolean.
    """
    check_rows(**flags)
    check_masks(**flags)
    return float(np.mean(list(flags.values()), dtype=np.float64))


def check_table(name: str, table: NDArray[Any], columns: str) -> None:
    """Check that ``table`` is (rows, columns), neither of them 0.

    Raises:
        ValueError: it is not; the message gives its shape.
    """
    if table.ndim != 2 or not table.size:
        raise ValueError(f"{name} of shape {table.shape}: expected {columns}, no part of it 0")
