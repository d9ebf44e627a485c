"""Parts of resized photographs, with the whole numbers of OpenCV."""

import numpy as np
from numpy.typing import NDArray

STEP_BITS = 11  # shares between pixels are rounded to 2048ths
KEPT_BITS = 7  # of them after the columns, before the rows are mixed
FINE_BITS = 2  # of the mixed rows, before the last rounding


def resized_side(side: int, factor: float) -> int:
    """Return how many pixels a side of ``side`` pixels has when it is resized by ``factor``."""
    return round(side * factor)


def resized_part(
    image: NDArray[np.uint8], factor: float, top: int, left: int, height: int, width: int
) -> NDArray[np.uint8]:
    """Return rows and columns from ``top`` and ``left`` of ``image`` resized, (height, width, C).

    Linear between the two nearest pixels, without smoothing before.

    Source: resize of OpenCV with INTER_LINEAR, which the scripts of Tiny-ImageNet-C and CIFAR-10-C
    call.
    """
    if factor == 1:
        return image[top : top + height, left : left + width]
    row, upper, lower = _taps(image.shape[0], factor, top, height)
    column, before, after = _taps(image.shape[1], factor, left, width)
    beside = np.minimum(column + 1, image.shape[1] - 1)
    below = np.minimum(row + 1, image.shape[0] - 1)

    def mixed(rows: NDArray[np.intp], weights: NDArray[np.int32]) -> NDArray[np.int32]:
        seen = image[rows].astype(np.int32)
        line = seen[:, column] * before[:, np.newaxis] + seen[:, beside] * after[:, np.newaxis]
        line >>= STEP_BITS - KEPT_BITS
        line *= weights[:, np.newaxis, np.newaxis]
        line >>= STEP_BITS + KEPT_BITS - FINE_BITS
        return line

    total = mixed(row, upper) + mixed(below, lower)
    half = 1 << FINE_BITS >> 1
    return ((total + half) >> FINE_BITS).astype(np.uint8)


def _taps(
    side: int, factor: float, start: int, count: int
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]:
    """Return the first of each pixel's two sources, and the weights of both in steps."""
    position = ((np.arange(start, start + count) + 0.5) / factor - 0.5).clip(0, side - 1)
    position = position.astype(np.float32)
    low = np.floor(position).astype(np.intp)
    share = position - low.astype(np.float32)
    steps = np.float32(1 << STEP_BITS)
    first = np.rint((np.float32(1) - share) * steps).astype(np.int32)
    return low, first, np.rint(share * steps).astype(np.int32)
