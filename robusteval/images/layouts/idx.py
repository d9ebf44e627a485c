"""IDX files, one of images and one of labels: MNIST, Fashion-MNIST, KMNIST and EMNIST."""

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing
from robusteval.images.layouts.arrays import Kept

BYTES = b"\x00\x00\x08"  # how a file of unsigned bytes begins; its rank follows


def idx(
    folder: Path,
    classes: Classes,
    *,
    images: str,
    labels: str | None = None,
    transposed: bool = False,
) -> Listing:
    """Return the listing of the images (N, H, W) in the file ``images`` of ``folder``.

    ``labels`` is the file of their labels; without it all are -1. Each file may be compressed, then
    its name ends in ``.gz``. EMNIST is ``transposed``: its files hold images column by column.

    Raises:
        ValueError: a file is missing, damaged or of another kind, or there are more or fewer
            labels than images.
    """
    rows = IdxRows(folder / images, transposed)
    count, where = len(rows.whole), str(folder / images)
    if rows.whole.ndim != 3:
        raise ValueError(f"{where}: shape {rows.whole.shape}; N x H x W expected")
    given: list[int] = [-1] * count
    if labels is not None:
        values = _array(folder / labels)
        if values.shape != (count,):
            raise ValueError(
                f"{folder / labels}: labels of shape {values.shape} for {count:,} images; one "
                f"each expected"
            )
        given = values.tolist()
    names = [f"{images}#{i}" for i in range(count)]
    keep, found = labels_of([str(v) for v in given], names, classes, where, numbers=True)
    return Listing([names[i] for i in keep], found, Kept(rows, keep))


class IdxRows:
    """Reads row ``i`` of the array in an IDX file as (H, W, 1)."""

    def __init__(self, path: Path, transposed: bool) -> None:
        self.path, self.transposed = path, transposed
        self._whole: NDArray[np.uint8] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_whole": None}  # another process reads the file by itself

    def __call__(self, i: int) -> NDArray[np.uint8]:
        row = self.whole[i]
        return np.ascontiguousarray(row.T if self.transposed else row)[..., np.newaxis]

    @property
    def whole(self) -> NDArray[np.uint8]:
        """The array, all of it: 55 MB of the largest of these sets."""
        if self._whole is None:
            self._whole = _array(self.path)
        return self._whole


def _array(path: Path) -> NDArray[np.uint8]:
    """Return the array in an IDX file: two zero bytes, type 8, rank, sizes, bytes."""
    packed = path.with_name(f"{path.name}.gz")
    try:
        raw = path.read_bytes() if path.is_file() else gzip.decompress(packed.read_bytes())
    except FileNotFoundError as error:
        raise ValueError(f"{path}: no such file, nor with .gz; unpack the set there") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{packed}: damaged ({error}); fetch it again") from error
    rank = raw[3] if raw[:3] == BYTES and len(raw) > 3 else 0
    start = 4 + 4 * rank
    if not rank or len(raw) < start:
        raise ValueError(f"{path}: not an IDX file of bytes; fetch it again")
    shape = tuple(int.from_bytes(raw[4 + 4 * i : 8 + 4 * i]) for i in range(rank))
    if len(raw) - start != (size := int(np.prod(shape))):
        raise ValueError(
            f"{path}: {len(raw) - start:,} bytes of pixels or labels, {size:,} expected (shape "
            f"{shape}); fetch it again"
        )
    return np.frombuffer(raw, np.uint8, offset=start).reshape(shape)
