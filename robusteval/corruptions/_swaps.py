"""Swapping pixels with neighbours, one after the other."""

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import integers

DRAWS = 3  # at most, for each chance: whether to swap, and the steps to the right and down


def swapped_sources(
    height: int, width: int, times: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """Return from which pixel (counted along rows) each one gets its value, (H * W,).

    ``times`` times, the pixels from the last to the third of rows and columns change places, with
    probability one half, with one that is up to a pixel to the left and up.
    """
    rows = np.arange(height - 1, 1, -1)[:, np.newaxis]
    order = np.tile((rows * width + np.arange(width - 1, 1, -1)).ravel(), times).tolist()
    # Whether steps are drawn depends on a draw, so all draws are one stream that is read on: of
    # whole numbers from 0 to 1 alone, a legacy generator gives the same at once or one by one.
    stream = integers(generator, 0, 2, (DRAWS * len(order),)).tolist()
    source = list(range(height * width))
    place = 0
    for pixel in order:
        if stream[place]:
            place += 1
            continue
        nearby = pixel + (stream[place + 2] - 1) * width + stream[place + 1] - 1
        source[pixel], source[nearby] = source[nearby], source[pixel]
        place += DRAWS
    return np.array(source, np.intp)
