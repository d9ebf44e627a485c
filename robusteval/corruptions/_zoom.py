"""Enlarging the centre of images: where each pixel comes from along one axis."""

import math

import numpy as np
from numpy.typing import NDArray


def centre_taps(side: int, factor: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return, for each of ``side`` pixels of an enlarged centre, its lower source and its share.

    Pixel ``i`` is ``(1 - share[i]) * x[low[i]] + share[i] * x[low[i] + 1]``. The published way:
    the central ``ceil(side / factor)`` pixels are stretched to the rounded ``factor`` times as
    many so that the outermost stay outermost, and of those the central ``side`` are kept.
    """
    centre = math.ceil(side / factor)
    stretched = round(centre * factor)
    kept = np.arange(side) + (stretched - side) // 2
    position = kept * ((centre - 1) / (stretched - 1))
    # The last source has no upper neighbour, so it is the upper one of the last pair.
    low = np.minimum(np.floor(position).astype(np.intp), centre - 2)
    return low + (side - centre) // 2, position - low
