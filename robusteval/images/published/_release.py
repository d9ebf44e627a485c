"""What a reader of a published corrupted set is asked for, and what it gives."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = 256  # images in memory at a time: 38 MB at 224 pixels


@dataclass(frozen=True)
class Chosen:
    """The clean images that a study chose, in its order.

    ``ids`` (N,) int64 are their places in the clean set, ``labels`` (N,) int64 their classes.
    ``names`` are the N paths of their files, ending in ``wnid/file``; a set without files, such as
    CIFAR-10, has none.
    """

    ids: NDArray[np.int64]
    labels: NDArray[np.int64]
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        lengths = {
            len(self.ids),
            len(self.labels),
            len(self.ids if self.names is None else self.names),
        }
        if len(lengths) != 1 or 0 in lengths:
            raise ValueError(f"ids, labels and names of lengths {sorted(lengths)}: one N expected")


@dataclass(frozen=True)
class Published:
    """One corruption of a release, checked: the images of ``Chosen`` in its order.

    ``read(severity, rows)`` gives images (B, H, W, C) uint8 of ``shape`` (H, W, C) as they were
    published; ``severities`` are the ones that the release has.
    """

    shape: tuple[int, int, int]
    severities: tuple[int, ...]
    count: int
    read: Callable[[int, slice], NDArray[np.uint8]]

    def blocks(self, severity: int) -> Iterator[NDArray[np.uint8]]:
        """Yield the images of a severity in order, at most ``BLOCK`` at a time.

        Raises:
            ValueError: the release has no such severity, or a file is damaged or of another size.
        """
        if severity not in self.severities:
            raise ValueError(
                f"severity {severity!r}; the release has {', '.join(map(str, self.severities))}"
            )
        for start in range(0, self.count, BLOCK):
            yield self.read(severity, slice(start, min(start + BLOCK, self.count)))


def check_corruption(corruption: str, release: str, corruptions: tuple[str, ...]) -> None:
    """Check that a release has a corruption.

    Raises:
        ValueError: it has not; the message lists those it has.
    """
    if corruption not in corruptions:
        raise ValueError(
            f"{release} has no corruption {corruption!r}; it has {', '.join(corruptions)}"
        )
