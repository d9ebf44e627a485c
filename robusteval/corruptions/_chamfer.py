"""Distances to the nearest marked pixel, by chamfer steps."""

import numpy as np
from numpy.typing import NDArray

# rows, columns, length: those of the 5 x 5 mask of Borgefors 1986 that OpenCV takes
STRAIGHT = ((0, 1, 1.0), (1, 0, 1.0))
SLANTED = (
    (1, 1, 1.4),
    (1, -1, 1.4),
    (1, 2, 2.1969),
    (2, 1, 2.1969),
    (1, -2, 2.1969),
    (2, -1, 2.1969),
)


def chamfer_distances(marked: NDArray[np.bool_], limit: int) -> NDArray[np.float32]:
    """Return the length (N, H, W) of the shortest way of steps to a ``marked`` pixel.

    Ways are not followed beyond ``limit``, which is the result where nothing is nearer. The order
    of steps does not matter to a way's length, so each kind of step is made once, as often as it
    takes: 1, 2, 4, ... at a time.

    Source: distanceTransform of OpenCV with DIST_L2 and mask 5, which ImageNet-C calls.
    """
    distances = np.empty(marked.shape, np.float32)
    height, width = marked.shape[1:]
    # A margin as wide as the limit keeps apart what is far apart, though all lies in one line.
    bordered = np.empty((height + limit, width + limit), np.float32)
    spare = np.empty(bordered.size, np.float32)
    for there, out in zip(marked, distances, strict=True):  # one fits into the cache
        bordered[:] = limit
        inside = bordered[:height, :width]
        inside[there] = 0.0
        line = bordered.ravel()
        for row, column, length in STRAIGHT:
            _walk(line, row * bordered.shape[1] + column, length, float(limit), spare)
        furthest = float(inside.max())
        for row, column, length in SLANTED:
            _walk(line, row * bordered.shape[1] + column, length, furthest, spare)
        out[:] = inside
    return distances


def _walk(
    line: NDArray[np.float32],
    offset: int,
    length: float,
    furthest: float,
    spare: NDArray[np.float32],
) -> None:
    """Shorten the distances in ``line`` by steps of ``offset``, forwards and backwards."""
    while length < furthest and offset < line.size:
        front, back, way = line[offset:], line[:-offset], spare[offset:]
        for start, end in ((back, front), (front, back)):
            np.add(start, np.float32(length), out=way)
            np.minimum(end, way, out=end)
        offset *= 2
        length *= 2
