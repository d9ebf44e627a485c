"""The binary version of CIFAR-10 and CIFAR-100 (Krizhevsky 2009): 32 x 32 pixels in plain bytes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing

PIXELS = 3 * 32 * 32
PARTS = {
    10: {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]},
    100: {"train": ["train.bin"], "test": ["test.bin"]},
}


@dataclass(frozen=True)
class Records:
    """Reads image ``i`` (32, 32, 3): the pixels of record ``places[i][1]`` of a file."""

    places: list[tuple[Path, int]]
    head: int  # bytes of labels before the pixels

    def __call__(self, i: int) -> NDArray[np.uint8]:
        path, row = self.places[i]
        with path.open("rb") as file:
            file.seek(row * (self.head + PIXELS) + self.head)
            planes = np.frombuffer(file.read(PIXELS), np.uint8)
        return np.ascontiguousarray(planes.reshape(3, 32, 32).transpose(1, 2, 0))


def cifar10_binary(
    folder: Path, classes: Classes, *, part: str = "test", labels: str | None = "fine"
) -> Listing:
    """Return the listing of ``part``, "test" or "train", of the CIFAR in ``folder``, file by file.

    CIFAR-100 has two labels an image: ``labels`` is "fine" (100 classes) or "coarse" (20).
    ``None`` gives all images the label -1.

    Raises:
        ValueError: a file is missing or is not made of whole records, a label out of range.
    """
    if part not in PARTS[10]:
        raise ValueError(f"part: {part!r}: one of test, train expected")
    if labels not in ("fine", "coarse", None):
        raise ValueError(f"labels: {labels!r}: one of fine, coarse, null expected")
    kind = next(
        (kind for kind, parts in PARTS.items() if any((folder / f).is_file() for f in parts[part])),
        None,
    )
    if kind is None:
        expected = " or ".join(parts[part][0] for parts in PARTS.values())
        raise ValueError(f"{folder}: neither CIFAR: {expected} expected, of the binary version")
    head = 1 if kind == 10 else 2
    column = 0 if labels == "coarse" else head - 1
    number = 20 if kind == 100 and labels == "coarse" else kind
    names: list[str] = []
    places: list[tuple[Path, int]] = []
    values: list[int] = []
    for file in PARTS[kind][part]:
        path = folder / file
        size = path.stat().st_size if path.is_file() else 0
        if not size or size % (head + PIXELS):
            raise ValueError(
                f"{path}: missing, or not whole records of {head + PIXELS} bytes ({size:,} bytes); "
                f"unpack it again"
            )
        records = np.memmap(path, np.uint8, "r").reshape(-1, head + PIXELS)
        values += records[:, column].tolist()
        names += [f"{file}#{row}" for row in range(len(records))]
        places += [(path, row) for row in range(len(records))]
    if max(values) >= number:
        wrong = names[next(i for i, value in enumerate(values) if value >= number)]
        raise ValueError(
            f"{folder}: {wrong} has the label {max(values)}, 0 to {number - 1} expected; the file "
            f"is damaged or another one"
        )
    given = ["-1"] * len(values) if labels is None else [str(v) for v in values]
    keep, found = labels_of(given, names, classes, str(folder), numbers=True)
    return Listing([names[i] for i in keep], found, Records([places[i] for i in keep], head))
