"""Where images are flat."""

import numpy as np
from numpy.typing import NDArray


def is_flat(planes: NDArray[np.uint8], reach: int) -> NDArray[np.bool_]:
    """Return where all levels of ``planes`` (H, C, W) within ``reach`` pixels are the same.

    Within means in the square of 2 ``reach`` + 1 rows and columns, as far as it is in the image.
    """
    if reach == 0:
        return np.ones(planes.shape, np.bool_)
    like_next_column = np.ones(planes.shape, np.bool_)
    np.equal(planes[..., 1:], planes[..., :-1], out=like_next_column[..., :-1])
    like_next_row = np.ones(planes.shape, np.bool_)
    np.equal(planes[1:], planes[:-1], out=like_next_row[:-1])
    row_is_flat = _everywhere(like_next_column.transpose(2, 0, 1), reach, reach - 1)
    square_is_flat = _everywhere(row_is_flat.transpose(1, 2, 0), reach, reach)
    return square_is_flat & _everywhere(like_next_row, reach, reach - 1)


def _everywhere(marked: NDArray[np.bool_], before: int, after: int) -> NDArray[np.bool_]:
    """Return where all from ``before`` to ``after`` places away along the first axis is marked."""
    length = before + after + 1
    bordered = np.ones((marked.shape[0] + before + after, *marked.shape[1:]), np.bool_)
    bordered[before : before + marked.shape[0]] = marked
    done = 1
    while done < length:
        step = min(done, length - done)  # two stretches make one of up to twice the length
        bordered = bordered[: len(bordered) - step] & bordered[step:]
        done += step
    return bordered
