"""Checks that every metric makes of its arrays before it says a number."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_rows(**arrays: NDArray[Any]) -> None:
    """Check that the named arrays are one-dimensional, equally long and not empty.

    Raises:
        ValueError: they are not; the message gives every name and shape.
    """
    shapes = {name: np.shape(array) for name, array in arrays.items()}
    lengths = {shape[0] if len(shape) == 1 else None for shape in shapes.values()}
    if len(lengths) != 1 or lengths & {None, 0}:
        said = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"shapes {said}: expected one length (N,) for all, N at least 1")


def check_masks(**arrays: NDArray[Any]) -> None:
    """Check that the named arrays are boolean, since integers would select rows by position.

    Raises:
        ValueError: one is not; the message gives its name and type.
    """
    for name, array in arrays.items():
        if array.dtype != np.bool_:
            raise ValueError(f"{name} has type {array.dtype}: expected bool, one value an image")


def check_finite(**arrays: NDArray[Any] | float) -> None:
    """Check that the named arrays hold neither NaN nor infinity.

    Raises:
        ValueError: one does; the message gives its name and how many.
    """
    for name, array in arrays.items():
        bad = int(np.count_nonzero(~np.isfinite(array)))
        if bad:
            raise ValueError(f"{name} holds {bad} values that are NaN or infinite: expected none")


def check_keys(errors: Mapping[str, Any], baseline: Mapping[str, Any]) -> None:
    """Check that both mappings name the same corruptions or perturbations, at least one.

    Raises:
        ValueError: they do not; the message lists what only one of them has.
    """
    if not errors and not baseline:
        raise ValueError("no corruption or perturbation given: expected at least one")
    if errors.keys() != baseline.keys():
        raise ValueError(
            f"names only of the model: {sorted(errors.keys() - baseline.keys())}, only of the "
            f"baseline: {sorted(baseline.keys() - errors.keys())}: expected the same names in both"
        )
