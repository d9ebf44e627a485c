"""Rows of an array in an .npy file or an .npz archive, one at a time, whatever its size."""

import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


class Rows:
    """Reads row ``i`` of an array as uint8, with a last axis for the channels.

    ``member`` is the array's name in an archive. Reading in order is quick even where the archive
    is compressed; going back starts it from the beginning.

    Raises:
        ValueError: there is no such array, or it is stored column by column.
    """

    def __init__(self, path: Path, member: str | None) -> None:
        self.path, self.member = path, member
        self.where = f"{path}: {member}" if member else str(path)
        self._file: IO[bytes] | None = None
        file = self._open()
        self.shape, fortran, self.dtype = _header(file, self.where)
        self.start = file.tell()
        if fortran:
            raise ValueError(f"{self.where}: in Fortran order; save np.ascontiguousarray(images)")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_file": None}  # an open file cannot go to another process

    def __call__(self, i: int) -> NDArray[np.uint8]:
        shape = self.shape[1:]
        size = int(np.prod(shape)) * self.dtype.itemsize
        file = self._open()
        file.seek(self.start + i * size)
        content = file.read(size)
        if len(content) < size:
            raise ValueError(
                f"{self.where}: ends within row {i} of {self.shape[0]:,}; save it anew"
            )
        row = np.frombuffer(content, self.dtype).reshape(shape)
        levels = row.copy() if row.dtype == np.uint8 else _levels(row, f"{self.where}: row {i}")
        return levels if levels.ndim == 3 else levels[..., np.newaxis]

    def whole(self) -> NDArray[Any]:
        """Return the array, all of it."""
        file = self._open()
        file.seek(self.start)
        count = int(np.prod(self.shape))
        content = file.read(count * self.dtype.itemsize)
        return np.frombuffer(content, self.dtype).reshape(self.shape)

    def _open(self) -> IO[bytes]:
        if self._file is None:
            if not self.path.is_file():
                raise ValueError(f"{self.path}: no such file of arrays")
            try:
                self._file = self._stream()
            except (KeyError, zipfile.BadZipFile) as error:
                raise ValueError(f"{self.where}: not to be had ({_plain(error)})") from error
        return self._file

    def _stream(self) -> IO[bytes]:
        if self.member is None:
            return self.path.open("rb")
        archive = zipfile.ZipFile(self.path)
        there = [name.removesuffix(".npy") for name in archive.namelist()]
        if self.member not in there:
            raise KeyError(f"there are {', '.join(there)}")
        return archive.open(f"{self.member}.npy")


def _header(file: IO[bytes], where: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether the order is Fortran's, and type of the array that begins here."""
    try:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, fortran, dtype = read(file)
    except (ValueError, KeyError) as error:
        raise ValueError(f"{where}: not an array of numpy ({_plain(error)})") from error
    if dtype.hasobject:
        raise ValueError(f"{where}: Python objects; an array of numbers expected")
    return shape, fortran, dtype


def _levels(row: NDArray[Any], where: str) -> NDArray[np.uint8]:
    """Return the levels 0 to 255 of an image in [0, 1], if it is made of such."""
    if row.dtype.kind != "f":
        raise ValueError(f"{where}: {row.dtype}; uint8 expected")
    low, high = float(row.min()), float(row.max())
    if not (low >= 0 and high <= 1):
        raise ValueError(
            f"{where}: values from {low:.3g} to {high:.3g} (mean {float(row.mean()):.3g}): "
            f"normalised already, or on another scale; give the pixels as uint8, models normalise "
            f"by themselves"
        )
    levels = np.rint(row.astype(np.float64) * 255)
    # Half precision is off a level k / 255 by up to 0.06 levels, single precision by far less.
    if np.abs(row * 255.0 - levels).max() > 0.07:
        raise ValueError(
            f"{where}: values between the levels k / 255, which rounding would change; give the "
            f"pixels as uint8"
        )
    return levels.astype(np.uint8)


def _plain(error: Exception) -> str:
    return str(error.args[0]) if error.args else type(error).__name__
