"""Some images of a source: those that a list names."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from robusteval.images._listing import Content, Listing, first_of


def only(listing: Listing, file: Path, where: str) -> Listing:
    """Return the images of ``listing`` that the text ``file`` names, in the listing's order.

    A line is the name of an image, with or without the folders before it; empty lines and those
    that begin with # do not count. ``where`` is the source, for messages.

    Raises:
        ValueError: no such file, nothing in it, a name twice, one that no image or several have.
    """
    wanted = _names(file)
    places = {name: [i] for i, name in enumerate(listing.names)}
    short: dict[str, list[int]] = {}
    for i, name in enumerate(listing.names):
        short.setdefault(name.rpartition("/")[2], []).append(i)
    found = {name: places.get(name) or short.get(name, []) for name in wanted}
    if missing := [name for name, at in found.items() if not at]:
        raise ValueError(
            f"{file}: not in {where}: {first_of(missing)} of {len(wanted):,} names; complete the "
            f"folder, or take them off the list"
        )
    if unclear := [name for name, at in found.items() if len(at) > 1]:
        raise ValueError(
            f"{file}: several images of {where} are called {first_of(unclear)}; put their folders "
            f"before the name"
        )
    kept = sorted({at[0] for at in found.values()})
    if len(kept) < len(wanted):
        raise ValueError(
            f"{file}: {len(wanted):,} names of {len(kept):,} images of {where}; name each once, "
            f"with or without its folder"
        )
    return Listing([listing.names[i] for i in kept], listing.labels[kept], Some(listing.read, kept))


@dataclass(frozen=True)
class Some:
    """Reads the content of image ``i`` of some: that of image ``places[i]`` of all."""

    read: Callable[[int], Content]
    places: Sequence[int]

    def __call__(self, i: int) -> Content:
        return self.read(self.places[i])


def _names(file: Path) -> list[str]:
    """Return the names in ``file``, each of which is there once."""
    if not file.is_file():
        raise ValueError(f"{file}: no such list; a text file with a name a line expected (`only`)")
    text = file.read_text(encoding="utf-8-sig")  # editors on Windows put a mark before the first
    lines = [line.strip() for line in text.splitlines()]
    names = [line for line in lines if line and line[0] != "#"]
    if not names:
        raise ValueError(f"{file}: no name in it; a name of an image a line expected")
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"{file}: listed twice: {first_of(twice)}; name each image once")
    return names
