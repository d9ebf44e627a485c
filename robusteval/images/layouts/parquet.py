"""Encoded images in a column of parquet files, as the Hugging Face hub has them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.images._folder import natural
from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing

BATCH = 16  # rows decoded at a time; a row is some 100 kB


def parquet(
    folder: Path,
    classes: Classes,
    *,
    files: str = "*.parquet",
    image: str = "image",
    label: str | None = "label",
) -> Listing:
    """Return the listing of the rows of all ``files`` (a glob) below ``folder``, file by file.

    The column ``image`` holds encoded bytes, or structs of ``bytes`` and ``path``, of which one
    may be missing; paths are relative to ``folder``. ``label`` holds numbers from 0, -1 for
    unknown, or class ids; without it all labels are -1.

    Raises:
        ValueError: no such file, a file is damaged or lacks a column, rows without a label.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    paths = sorted(
        (path.relative_to(folder).as_posix() for path in folder.glob(files)), key=natural
    )
    if not paths:
        raise ValueError(f"{folder}: no file {files}; give `files`, a pattern of their names")
    names: list[str] = []
    values: list[str] = []
    places: list[NDArray[np.int64]] = []
    for number, name in enumerate(paths):
        where = f"{folder / name}"
        try:
            with pq.ParquetFile(folder / name) as file:
                schema, rows = file.schema_arrow, file.metadata.num_rows
                wanted = [image] if label is None else [image, label]
                if missing := [column for column in wanted if column not in schema.names]:
                    raise ValueError(
                        f"{where}: no column {missing[0]!r}; there are {', '.join(schema.names)}"
                    )
                _check_type(schema.field(image).type, f"{where}: {image}")
                given: list[Any] = [-1] * rows
                if label is not None:
                    given = file.read(columns=[label]).column(label).to_pylist()
        except pa.ArrowException as error:
            raise ValueError(f"{where}: damaged ({error}); fetch it again") from error
        if None in given:
            raise ValueError(
                f"{where}: images without labels: row {given.index(None)} (the first of "
                f"{given.count(None):,}); -1 stands for unknown"
            )
        values += [str(value) for value in given]
        names += [f"{name}#{row}" for row in range(rows)]
        places.append(np.stack([np.full(rows, number), np.arange(rows)], axis=1))
    keep, labels = labels_of(values, names, classes, str(folder), numbers=True)
    reader = Column(folder, paths, image, np.concatenate(places)[keep])
    return Listing([names[i] for i in keep], labels, reader)


class Column:
    """Reads the encoded bytes of image ``i``: row ``places[i, 1]`` of file ``places[i, 0]``.

    A file is read forward, a few rows at a time, so that a row group of any size needs little
    memory; a row further back starts its row group again.
    """

    def __init__(
        self, folder: Path, paths: list[str], column: str, places: NDArray[np.int64]
    ) -> None:
        self.folder, self.paths, self.column, self.places = folder, paths, column, places
        self._rows: Iterator[Any] = iter(())
        self._at = (-1, 0)  # file and row that come next
        self._end = 0  # the row after the last of the row group being read

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": iter(()), "_at": (-1, 0), "_end": 0}

    def __call__(self, i: int) -> bytes:
        file, row = (int(v) for v in self.places[i])
        if not (self._at[0] == file and self._at[1] <= row < self._end):
            self._open(file, row)
        for _ in range(row - self._at[1]):
            next(self._rows)
        value = next(self._rows).as_py()
        self._at = (file, row + 1)
        if isinstance(value, dict):
            content, path = value.get("bytes"), value.get("path")
            value = (self.folder / path).read_bytes() if content is None and path else content
        if value is None:
            raise ValueError(f"{self.paths[file]}#{row}: an empty cell")
        return bytes(value)

    def _open(self, file: int, row: int) -> None:
        """Go to the beginning of the row group that ``row`` is in."""
        import pyarrow.parquet as pq

        # A buffer, and no reading ahead: otherwise all of a row group would be in memory.
        source = pq.ParquetFile(self.folder / self.paths[file], pre_buffer=False, buffer_size=2**20)
        sizes = [source.metadata.row_group(g).num_rows for g in range(source.num_row_groups)]
        ends = np.cumsum(sizes)
        group = int(np.searchsorted(ends, row, side="right"))
        batches = source.iter_batches(
            BATCH, row_groups=[group], columns=[self.column], use_threads=False
        )
        self._rows = (value for batch in batches for value in batch.column(0))
        self._at, self._end = (file, int(ends[group]) - sizes[group]), int(ends[group])


def _check_type(kind: Any, where: str) -> None:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        kind = kind.field("bytes").type if kind.get_field_index("bytes") >= 0 else kind
    if not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        raise ValueError(f"{where}: {kind}; encoded images, binary, expected")
