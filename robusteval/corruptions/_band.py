"""Linear filters along an axis, as products with the narrow band of a matrix."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = 32  # outputs of one product; longer ones multiply more zeros, shorter ones start slower


@dataclass(frozen=True)
class Band:
    """A matrix as blocks of neighbouring outputs, with the inputs that each of them reads."""

    blocks: tuple[tuple[slice, slice, NDArray[np.float64]], ...]

    def along_rows(self, x: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Write the filtered columns of ``x`` (inputs, M) to ``out`` (outputs, M)."""
        for outputs, inputs, part in self.blocks:
            np.matmul(part, x[inputs], out=out[outputs])

    def along_columns(self, x: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Write the filtered rows of ``x`` (M, inputs) to ``out`` (M, outputs)."""
        for outputs, inputs, part in self.blocks:
            np.matmul(x[:, inputs], part.T, out=out[:, outputs])


def band(matrix: NDArray[np.float64]) -> Band:
    """Return ``matrix`` (outputs, inputs) without what lies beside its band."""
    blocks = []
    for start in range(0, len(matrix), BLOCK):
        outputs = slice(start, min(start + BLOCK, len(matrix)))
        read = np.flatnonzero(matrix[outputs].any(axis=0))
        inputs = slice(int(read[0]), int(read[-1]) + 1)
        blocks.append((outputs, inputs, np.ascontiguousarray(matrix[outputs, inputs])))
    return Band(tuple(blocks))


def normal_band(side: int, sigma: float, *, truncate: float, mode: str) -> Band:
    """Return the filter with a normal kernel cut at ``truncate`` times ``sigma`` pixels.

    ``mode`` is what lies beyond the border, in the words of ``numpy.pad``.
    """
    reach = int(truncate * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    source = np.pad(np.arange(side), reach, mode=mode)  # type: ignore[call-overload]
    matrix = np.zeros((side, side))
    for i, weight in enumerate(weights):
        np.add.at(matrix, (np.arange(side), source[i : i + side]), weight)
    return band(matrix)
