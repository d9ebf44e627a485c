"""Records: one row per image of what a model said, complete or marked as failed.

A records file is a parquet table with at least the columns ``image_id``, ``label`` (-1 for an
unknown class), ``condition`` and ``severity`` (0 where a condition has none), and as a rule
``prediction`` and ``logits``. Its metadata say how many rows belong in it and, for a cell that
could not be measured, why.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from robusteval.files import replacing

OK = "ok"
_KEY = b"robusteval"


@dataclass(frozen=True)
class Records:
    """What one model said about one test.

    ``frame`` holds a row per image; ``logits`` (N, K) float32 belong to its rows in order (K is 0
    for records of costs alone);
    ``status`` is "ok", or the reason why the cell could not be measured (then there is no row);
    ``settings`` are the values it was made with.
    """

    frame: pd.DataFrame
    logits: NDArray[np.float32]
    status: str = OK
    settings: dict[str, Any] = field(default_factory=dict)


class _IncompleteError(ValueError):
    """What is read is no records file, or does not hold all of its rows."""


def failed(reason: str, settings: dict[str, Any]) -> Records:
    """Return the records of a cell that could not be measured."""
    columns = ["image_id", "label", "condition", "severity", "prediction"]
    return Records(
        pd.DataFrame(columns=columns), np.empty((0, 0), np.float32), reason, dict(settings)
    )


def write_records(path: str | Path, records: Records) -> None:
    """Write ``records`` to a parquet file, whole or not at all."""
    n, k = records.logits.shape
    assert len(records.frame) == n, (len(records.frame), n)
    table = pa.Table.from_pandas(records.frame, preserve_index=False)
    if k:
        flat = pa.array(np.ascontiguousarray(records.logits).reshape(-1), pa.float32())
        table = table.append_column("logits", pa.FixedSizeListArray.from_arrays(flat, k))
    about = {"n": n, "status": records.status, "settings": records.settings}
    metadata = {**(table.schema.metadata or {}), _KEY: json.dumps(about, sort_keys=True).encode()}
    with replacing(path) as temporary:
        pq.write_table(table.replace_schema_metadata(metadata), temporary, compression="zstd")


def read_records(path: str | Path) -> Records:
    """Return the records in a file.

    Raises:
        ValueError: the file is damaged, no records file, or does not hold all of its rows.
    """
    try:
        return _read(path)
    except (MemoryError, _IncompleteError):
        raise
    except Exception as error:  # of a flipped bit pyarrow makes errors of many kinds
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the file is not there, or may not be read
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: damaged ({reason}); delete it and run again") from error


def _read(path: str | Path) -> Records:
    table = pq.read_table(path)
    raw = (table.schema.metadata or {}).get(_KEY)
    if raw is None:
        raise _IncompleteError(f"{path}: not a records file; delete it and run again")
    about = json.loads(raw)
    if table.num_rows != about["n"]:
        raise _IncompleteError(
            f"{path}: {table.num_rows} rows, {about['n']} expected; delete it and run again"
        )
    logits = np.empty((table.num_rows, 0), np.float32)
    if "logits" in table.column_names:
        column = table.column("logits").combine_chunks()
        flat = column.flatten().to_numpy(zero_copy_only=False)
        logits = flat.reshape(table.num_rows, column.type.list_size)
        table = table.drop_columns(["logits"])
    return Records(table.to_pandas(), logits, about["status"], about["settings"])
