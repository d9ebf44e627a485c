"""Zigzag: a zigzag line across the image."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import integers
from robusteval.corruptions._levels import rounded, unit
from robusteval.corruptions._lines import Point, draw_line

MARGIN = 2  # columns at either side that the line leaves


def zigzag(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with a zigzag line from a random row of the left side.

    ``constant`` is how far the line's light reaches up and down, a quarter of its period, its
    amplitude, and by how much the row at the right may differ from that at the left, all in pixels.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    reach, quarter, amplitude, rise = constant
    height, width = images.shape[1:3]
    length = width - 1 - 2 * MARGIN
    x = unit(images)
    for image, generator in zip(x, generators, strict=True):
        row = integers(generator, 0, height - 1, ()).item()
        slope = integers(generator, -int(rise), int(rise), ()).item() / length
        points = corners(length * math.hypot(1, slope), quarter, amplitude)
        placed = [_turned(point, math.atan(slope), row) for point in points]
        for start, end in itertools.pairwise(placed):
            draw_line(image, start, end, reach=reach)
    return rounded(x)


def corners(length: float, quarter: float, amplitude: float) -> list[Point]:
    """Return the corners of a zigzag line along the columns 0 to ``length``, about row 0.

    The end of the line lies at the last corner's row over twice the length that full periods leave:
    outside the line's own band where that is less than half a pixel, as published.
    """
    points: list[Point] = [(0.0, 0.0)]
    row = amplitude
    for i in range(math.floor((length - quarter) / (2 * quarter)) + 1):
        points.append(((2 * i + 1) * quarter, row))
        row = -row
    whole = 2 * quarter * math.floor(length / (2 * quarter))
    if length != whole:
        points.append((length, points[-1][1] / (2 * (length - whole))))
    return points


def _turned(point: Point, angle: float, row: float) -> Point:
    """Return ``point`` turned by ``angle`` (radians) about the start of the line, at ``row``."""
    sine, cosine = math.sin(angle), math.cos(angle)
    return (
        point[0] * cosine - point[1] * sine + MARGIN,
        point[0] * sine + point[1] * cosine + row,
    )
