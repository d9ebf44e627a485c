"""Moving images by a matrix about their centre, black coming in from outside."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import integers
from robusteval.corruptions._levels import unit

Matrix = Sequence[Sequence[float]]


def warped(images: NDArray[np.uint8], matrix: Matrix) -> NDArray[np.float64]:
    """Return ``images`` (N, H, W, C), scale 0 to 1, read at ``matrix`` (2, 2) times the position.

    Positions are (column, row) from the centre of the image. Linear between pixels; all pixels
    outside are black, and take part in that.
    """
    height, width = images.shape[1:3]
    middle_row, middle_column = (height - 1) / 2, (width - 1) / 2
    x = np.arange(width) - middle_column
    y = np.arange(height)[:, np.newaxis] - middle_row
    (xx, xy), (yx, yy) = matrix
    # A black ring is enough: further out it is as black. The second one has no weight.
    column = np.clip(xx * x + xy * y + middle_column, -1, width) + 1
    row = np.clip(yx * x + yy * y + middle_row, -1, height) + 1
    bordered = np.pad(unit(images), ((0, 0), (1, 2), (1, 2), (0, 0)))
    left, top = np.floor(column).astype(np.intp), np.floor(row).astype(np.intp)
    across, down = (column - left)[..., np.newaxis], (row - top)[..., np.newaxis]

    def mixed(row: NDArray[np.intp]) -> NDArray[np.float64]:
        line: NDArray[np.float64] = bordered[:, row, left] * (1 - across)
        line += bordered[:, row, left + 1] * across
        return line

    moved: NDArray[np.float64] = mixed(top) * (1 - down) + mixed(top + 1) * down
    return moved


def signs(generators: Sequence[np.random.Generator], count: int = 1) -> NDArray[np.int64]:
    """Return -1 or 1, equally likely, ``count`` of each generator, (N, count)."""
    drawn = np.empty((len(generators), count), np.int64)
    for row, generator in zip(drawn, generators, strict=True):
        row[:] = 2 * integers(generator, 0, 2, (count,)) - 1
    return drawn
