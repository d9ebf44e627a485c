"""Checks that every law makes of its numbers, one a model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_models(**arrays: NDArray[Any]) -> None:
    """Check that the named arrays are one-dimensional, equally long and finite, a value a model.

    Raises:
        ValueError: they are not; the message gives the name and what was found.
    """
    shapes = {name: np.shape(array) for name, array in arrays.items()}
    if len(set(shapes.values())) != 1 or any(len(shape) != 1 for shape in shapes.values()):
        said = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"shapes {said}: expected one length (N,) for all, a value a model")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} holds NaN or infinity: leave those models out by name")
