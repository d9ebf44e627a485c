"""Sums over discs, from the runs of which a disc consists."""

import math

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._scratch import Scratch


def disc_sums(x: NDArray[np.uint8], radius: float, scratch: Scratch) -> NDArray[np.uint16]:
    """Return the sums of ``x`` (H, C, W) over discs, (H - 2 R, C, W - 2 R), in scratch memory.

    R is ``radius``, below 9, cut to a whole number: 255 times the pixels of a disc stay below 2^16.
    Sums over columns may start again at 0 beyond that; their differences do not mind.
    """
    reach = int(radius)
    assert disc_size(radius) * 255 < 1 << 16, radius
    height, channels, width = x.shape
    rows, columns = height - 2 * reach, width - 2 * reach
    above = scratch.array("above", (height + 1, channels, width), np.uint16)
    above[0] = 0
    for row, before, after in zip(x, above[:-1], above[1:], strict=True):
        np.add(before, row, out=after)
    sums: NDArray[np.uint16] = scratch.array("sums", (rows, channels, columns), np.uint16)
    sums.fill(0)
    run = scratch.array("run", (rows, channels, width), np.uint16)
    halves = _half_heights(radius)
    for half in sorted(set(halves)):
        lower = above[reach + half + 1 : reach + half + 1 + rows]
        np.subtract(lower, above[reach - half : reach - half + rows], out=run)
        for step, height_there in enumerate(halves):
            if height_there == half:
                sums += run[..., step : step + columns]
    return sums


def disc_size(radius: float) -> int:
    """Return how many pixels are at most ``radius`` away from one."""
    return sum(2 * half + 1 for half in _half_heights(radius))


def _half_heights(radius: float) -> list[int]:
    """Return how many pixels a disc has above its middle row, by column from the left."""
    reach = int(radius)
    return [math.isqrt(int(radius**2 - step**2)) for step in range(-reach, reach + 1)]
