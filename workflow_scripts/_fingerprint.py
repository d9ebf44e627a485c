"""What a folder of the user's looks like from outside, so that an edit of it is noticed.

Snakemake watches the files that rules name; a folder of 50,000 images is none of these.
"""

import hashlib
import os
from pathlib import Path

from robusteval.images._folder import folder_of


def fingerprint(folder: str | None, depth: int = 32) -> str | None:
    """Return a hash of names, sizes and times of what lies in ``folder``, None if it is not there.

    Of folders deeper than ``depth`` the time alone counts.
    """
    try:
        root = folder_of(folder) if folder else None
    except ValueError:
        return None
    if root is None:
        return None
    found = hashlib.sha256()
    for line in sorted(_lines(root, depth)):
        found.update(line.encode("utf-8", "surrogateescape"))
    return found.hexdigest()[:16]


def _lines(path: Path, depth: int) -> list[str]:
    if not path.is_dir():
        about = path.stat()
        return [f"{path} {about.st_size} {about.st_mtime_ns}\n"]
    lines = []
    for entry in os.scandir(path):
        if entry.name[0] == ".":
            continue
        if entry.is_dir() and depth > 0:
            lines += _lines(Path(entry.path), depth - 1)
        elif entry.is_dir() or entry.is_file():
            about = entry.stat()
            lines.append(f"{entry.path} {about.st_size} {about.st_mtime_ns}\n")
    return lines


def own_code(function: str) -> list[str]:
    """Return the source files of the user's that "path.py:name" or "module:name" may run.

    These are all that lie beside the file, or below the folder of the module's package, if that is
    in the current folder; installed packages are not the user's own.
    """
    where = function.rpartition(":")[0]
    if not where:
        return []
    if where.endswith(".py"):
        file = Path(where).expanduser()
        return sorted({str(file), *(str(path) for path in file.parent.glob("*.py"))})
    package = Path(where.split(".")[0])
    if package.is_dir():
        return sorted(str(path) for path in package.rglob("*.py"))
    return [f"{package}.py"] if package.with_suffix(".py").is_file() else []
