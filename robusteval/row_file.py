"""Rows of numbers in a file, written and read part by part: more of them than memory holds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from robusteval.files import replacing

Rows = NDArray[np.float32]


@contextmanager
def writing_rows(path: str | Path, count: int) -> Iterator[Callable[[Rows], None]]:
    """Give a function that appends rows (n, D), float32, to a .npy file of ``count`` rows in all.

    The file appears whole when the block ends well. Plain writing rather than a memory map, whose
    pages would count as memory of this process.

    Raises:
        ValueError: rows differ in width, or there are not ``count`` of them.
    """
    width, written = 0, 0
    with replacing(path) as temporary, temporary.open("wb") as file:

        def append(rows: Rows) -> None:
            nonlocal width, written
            if not written:
                width = rows.shape[1]
                _write_header(file, count, width)
            if rows.shape[1] != width:
                raise ValueError(f"{path}: rows of {rows.shape[1]} numbers after others of {width}")
            file.write(np.ascontiguousarray(rows, np.float32).data)
            written += len(rows)

        yield append
        if not count:
            _write_header(file, 0, 0)
        if written != count:
            raise ValueError(f"{path}: {written} rows written, {count} expected")


def read_rows(path: str | Path, rows: slice) -> Rows:
    """Return some rows (n, D); the file is mapped anew each time, as pages once read stay."""
    part: Rows = np.array(np.load(path, mmap_mode="r", allow_pickle=False)[rows])
    return part


def shape_of(path: str | Path) -> tuple[int, int]:
    """Return how many rows a file has, and how many numbers each."""
    count, width = np.load(path, mmap_mode="r", allow_pickle=False).shape
    return int(count), int(width)


def _write_header(file: BinaryIO, count: int, width: int) -> None:
    shape = {"descr": "<f4", "fortran_order": False, "shape": (count, width)}
    np.lib.format.write_array_header_1_0(file, shape)
