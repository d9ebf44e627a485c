"""Overwriting each pixel with one nearby, from the last pixel to the first."""

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
    inside = (slice(reach + 1, height - reach + 1), slice(reach + 1, width - reach + 1))
    is_inner = np.zeros((height, width), np.bool_)
    is_inner[inside] = True
    steps = _steps(width, reach, is_inner[inside].shape, generator)
    source = np.arange(height * width)
    link = source.copy()
    nearby = source.reshape(height, width)[inside]
    nearby += steps
    # Overwritten before: an inner one that comes after.
    chained = is_inner.ravel().take(nearby, mode="clip")  # all lie inside: just the fastest
    chained &= steps > 0
    steps *= chained
    link.reshape(height, width)[inside] += steps
    while True:
        further = link.take(link, mode="clip")
        if np.array_equal(further, link):
            return source.take(link, mode="clip")
        link = further


def _steps(
    width: int, reach: int, shape: tuple[int, ...], generator: np.random.Generator
) -> NDArray[np.intp]:
    """Return steps of ``shape`` as differences of pixel numbers, all steps equally likely."""
    if is_legacy(generator):
        drawn = integers(generator, -reach, reach, (*shape, 2))
        across, down = np.moveaxis(drawn[::-1, ::-1], -1, 0)  # published: the last pixel first
        legacy: NDArray[np.intp] = down * width + across
        return legacy
    steps = np.arange(-reach, reach)
    table = (steps[:, np.newaxis] * width + steps).ravel()
    return table.take(generator.integers(0, table.size, shape, dtype=np.uint16))
