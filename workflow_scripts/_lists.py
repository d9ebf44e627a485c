"""Lists of files: one file that a rule depends on instead of one an attack.

Planning a study takes a time that grows with inputs times outputs of its jobs. A job that makes
something for every attack names a list of it as its output, and jobs that need them all name that.
A list has the hash of each file, so it changes with any of them. Snakemake does not see these
files: whoever reads a list holds them against it.
"""

from collections.abc import Iterable
from pathlib import Path

from robusteval.files import read_json, sha256, write_json

SUFFIX = ".list"


def write_list(path: Path, files: Iterable[Path]) -> None:
    """Write the names and hashes of files that lie in folders beside a list, in their order."""
    # Pairs: JSON would sort a mapping, and what stands beside a list is in the study's order.
    write_json(path, [[str(file.relative_to(path.parent)), sha256(file)] for file in files])


def read_list(path: str | Path) -> list[str]:
    """Return the paths of the files that a list names, in their order.

    Raises:
        ValueError: one of them is not there any more, or not as it was.
    """
    files = {str(Path(path).parent / name): known for name, known in read_json(Path(path))}
    for file, known in files.items():
        if not Path(file).is_file():
            trouble = f"missing, though {path} names it"
        elif sha256(file) != known:
            trouble = f"changed since {path} was written"
        else:
            continue
        raise ValueError(f"{file}: {trouble}; delete that list, too, and run again")
    return list(files)


def expanded(paths: Iterable[str]) -> list[str]:
    """Return the paths, with what they name in the place of lists."""
    found = [read_list(path) if path.endswith(SUFFIX) else [path] for path in paths]
    return [path for files in found for path in files]


def attack_by_attack(paths: Iterable[str]) -> list[str]:
    """Return what the lists of several models name: the first of each list, then the second."""
    return [path for files in zip(*map(read_list, paths), strict=True) for path in files]
