"""Files that are either whole or not there: written beside their name, then renamed."""

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FULL = (errno.ENOSPC, errno.EDQUOT)
REMEDY = "free some and run again: what was whole before is kept, nothing half-written is"


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` and rename it to ``path`` when the block ends well.

    Raises:
        OSError: with the path and what to do where the disk is full.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise OSError(error.errno, f"{path}: no space left on the disk; {REMEDY}") from error
    finally:
        temporary.unlink(missing_ok=True)


def sha256(path: str | Path) -> str:
    """Return the hexadecimal SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def key_of(*content: Any) -> str:
    """Return a hash of JSON-like ``content``."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_json(path: str | Path, content: Any) -> None:
    """Write ``content`` as JSON with sorted keys."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n")


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file."""
    return json.loads(Path(path).read_text())
