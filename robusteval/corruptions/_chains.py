"""Overwriting each pixel with one nearby, from the last pixel to the first."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import integers, is_legacy


def displaced(
    height: int, width: int, reach: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """Return from which pixel (counted along rows) each one gets its colour, (H * W,).

    The published loop goes over the inner pixels from the last to the first and overwrites each
    with one from -``reach`` to ``reach`` - 1 rows and columns away. Where that one was overwritten
    before, its new colour is taken, so the source is the source of the source, and so on along
    the chain. All chains are followed at once, in strides that double.
    """
    pixels, is_inner = _inner(height, width, reach)
    nearby = pixels + _steps(width, reach, len(pixels), generator)
    # Overwritten before: an inner one that comes after.
    chained = is_inner.take(nearby, mode="clip")  # all lie inside: just the fastest
    chained &= nearby > pixels
    link = np.arange(height * width)
    link[pixels] = np.where(chained, nearby, pixels)
    source = np.arange(height * width)
    source[pixels] = nearby
    while True:
        further = link.take(link, mode="clip")
        if np.array_equal(further, link):
            return source.take(link, mode="clip")
        link = further


def _steps(
    width: int, reach: int, count: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """Return ``count`` steps as differences of pixel numbers, all steps equally likely."""
    side = 2 * reach
    if is_legacy(generator):
        across, down = integers(generator, -reach, reach, (count, 2)).T
        return down * width + across
    steps = np.arange(-reach, reach)
    table = (steps[:, np.newaxis] * width + steps).ravel()
    # Of bytes four are made of one draw; the steps of the families fit into them.
    dtype = np.uint8 if side * side <= 256 else np.uint16
    return table.take(generator.integers(0, side * side, count, dtype=dtype))


@lru_cache(maxsize=8)
def _inner(height: int, width: int, reach: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the pixels that are overwritten, in order, and which pixels these are (H * W,)."""
    rows = np.arange(height - reach, reach, -1)
    columns = np.arange(width - reach, reach, -1)
    pixels = (rows[:, np.newaxis] * width + columns).ravel()
    is_inner = np.zeros(height * width, np.bool_)
    is_inner[pixels] = True
    return pixels, is_inner
