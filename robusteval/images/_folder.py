"""Folders of image files: where they are, which files in them are images, and in which order."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

SUFFIXES = (
    *(".jpg", ".jpeg", ".jpe", ".jfif", ".jp2", ".png", ".bmp", ".gif", ".webp"),
    *(".tif", ".tiff", ".ppm", ".pgm"),
)
_PACKAGE = "package:"


def folder_of(text: str) -> Path:
    """Return the folder, or file, that ``text`` names; ``package:foolbox/data`` is in a package.

    The package is looked up, not imported.

    Raises:
        ValueError: the package is not installed, or there is nothing of that name.
    """
    if text.startswith(_PACKAGE):
        package, _, rest = text.removeprefix(_PACKAGE).partition("/")
        spec = find_spec(package) if package.isidentifier() else None
        if spec is None or not spec.submodule_search_locations:
            raise ValueError(f"{text}: package {package!r} is not installed; install it")
        folder = Path(spec.submodule_search_locations[0]) / rest
    else:
        folder = Path(text).expanduser()
    if not folder.exists():
        raise ValueError(f"{text}: no such folder; it should hold the images")
    return folder


def natural(name: str) -> tuple[list[list[str | int]], str]:
    """Return the key that sorts paths part by part with their numbers as numbers: 2 before 10."""
    parts = [re.split(r"(\d+)", part) for part in name.split("/")]
    key = [[int(t) if i % 2 else t for i, t in enumerate(part)] for part in parts]
    return key, name  # 1 and 01 are equal numbers, yet their order must not vary


def image_files(folder: Path) -> list[str]:
    """Return the image files below ``folder``, relative to it, in natural order.

    Links to folders are followed; hidden files (such as those that macOS leaves beside each) and
    files with other suffixes do not count.

    Raises:
        ValueError: ``folder`` is not one, or has no image file in it.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: not a folder; a folder of image files expected")
    found = []
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [n for n in folders if n[0] != "." and not _circular(Path(place), n)]
        here = Path(place).relative_to(folder).as_posix()
        prefix = "" if here == "." else f"{here}/"
        found += [
            prefix + name
            for name in files
            if name[0] != "." and os.path.splitext(name)[1].lower() in SUFFIXES  # noqa: PTH122
        ]
    if not found:
        raise ValueError(
            f"{folder}: a folder with no images; files with {' '.join(SUFFIXES)} count"
        )
    return sorted(found, key=natural)


def _circular(place: Path, name: str) -> bool:
    """Return whether a folder is a link to one that it is in, which has no end."""
    path = place / name
    return path.is_symlink() and place.resolve().is_relative_to(path.resolve())


@dataclass(frozen=True)
class Files:
    """Reads the encoded bytes of image ``i``: the file ``folder / paths[i]``."""

    folder: Path
    paths: Sequence[str]

    def __call__(self, i: int) -> bytes:
        return (self.folder / self.paths[i]).read_bytes()
