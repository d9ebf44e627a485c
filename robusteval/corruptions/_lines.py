"""Drawing soft white lines into images."""

import math

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]  # column, row
NEARLY = 1e-10  # pixels inside the reach of a line, so that the logarithm there is finite


def draw_line(x: NDArray[np.float64], start: Point, end: Point, *, reach: float) -> None:
    """Add the line from ``start`` to ``end`` to ``x`` (H, W, C), scale 0 to 1, and clip it there.

    Its light falls with the logarithm of the vertical distance, from 1 on the line to 0 about
    two thirds of ``reach`` pixels away. Columns are lit from that of ``start`` to before that of
    ``end``: none where ``end`` is not to the right.
    """
    if end[0] <= start[0]:
        return
    first, last = max(0, math.floor(start[0])), min(x.shape[1], math.ceil(end[0]))
    columns = np.arange(first, last)
    slope = (end[1] - start[1]) / (end[0] - start[0])
    middle = slope * (columns - start[0]) + start[1]
    distance = np.abs(np.arange(len(x))[:, np.newaxis] - middle)
    light = np.log(1.0 - np.minimum(distance, reach - NEARLY) / reach) + 1.0
    lit = x[:, first:last]
    lit += np.clip(light, 0.0, 1.0)[..., np.newaxis]
    np.clip(lit, 0.0, 1.0, out=lit)
