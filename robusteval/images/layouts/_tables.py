"""Files that a table labels: what layouts with a list of files share."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from robusteval.images._folder import SUFFIXES, Files, image_files, natural
from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing, first_of

UNLISTED = ("error", "leave_out")


def labelled_files(
    folder: Path,
    files: Sequence[str],
    values: Sequence[str],
    classes: Classes,
    where: str,
    unlisted: str,
) -> Listing:
    """Return the listing of ``files`` (N) in ``folder``, labelled by ``values`` (N).

    A file may be named without its suffix, as in the lists of ILSVRC. Files in the folder that are
    not listed are an error, or left out (``unlisted``).

    Raises:
        ValueError: labels without images, images without labels, a file is listed twice.
    """
    if unlisted not in UNLISTED:
        raise ValueError(f"unlisted: {unlisted!r}: one of {', '.join(UNLISTED)} expected")
    there = image_files(folder)
    paths = _found(files, there, folder, where)
    if len(set(paths)) < len(paths):
        twice = [path for path, n in Counter(paths).items() if n > 1]
        raise ValueError(f"{where}: {first_of(twice)} is listed twice; keep one")
    without = [path for path in there if path not in set(paths)] if len(paths) < len(there) else []
    if without and unlisted == "error":
        raise ValueError(
            f"{folder}: images without labels in {where}: {first_of(without)}; list them, or say "
            f"`unlisted: leave_out`"
        )
    empty = [path for path, value in zip(paths, values, strict=True) if not value]
    if empty:
        raise ValueError(f"{where}: no label for {first_of(empty)}; -1 stands for unknown")
    order = sorted(range(len(paths)), key=lambda i: natural(paths[i]))
    paths, values = [paths[i] for i in order], [values[i] for i in order]
    keep, labels = labels_of(values, paths, classes, where, numbers=True)
    kept = [paths[i] for i in keep]
    return Listing(kept, labels, Files(folder, kept))


def _found(files: Sequence[str], there: list[str], folder: Path, where: str) -> list[str]:
    """Return the path of each listed file, which may be named without its suffix."""
    known = set(there)
    files = [file.removeprefix("./") for file in files]
    if all(file in known for file in files):
        return files
    stems: dict[str, str] = {}
    clash = []
    for path in there:
        stem = path[: -len(Path(path).suffix)]
        clash += [stem] if stem in stems else []
        stems[stem] = path
    bare = [file for file in files if Path(file).suffix.lower() not in SUFFIXES]
    if ambiguous := sorted(set(clash) & set(bare), key=natural):
        raise ValueError(f"{folder}: two files with the id {first_of(ambiguous)}, rename one")
    if missing := [file for file in files if file not in known and file not in stems]:
        raise ValueError(
            f"{where}: labels without images: {first_of(missing)} not in {folder}; names relative "
            f"to that folder expected"
        )
    return [file if file in known else stems[file] for file in files]
