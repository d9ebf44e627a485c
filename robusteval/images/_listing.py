"""A listing: which images a source has, in a fixed order, with labels and a way to read each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The encoded bytes of an image, or its pixels (H, W, C) uint8.
Content = bytes | NDArray[np.uint8]


@dataclass(frozen=True)
class Listing:
    """The images of a source.

    ``names`` (N) are unique: relative paths, or ``file#row``; ``labels`` (N,) int64 are places in
    the list of classes, -1 for unknown; ``read(i)`` returns the content of image ``i``. ``read``
    can be sent to other processes and is quickest when asked in order.
    """

    names: Sequence[str]
    labels: NDArray[np.int64]
    read: Callable[[int], Content]


def first_of(names: Sequence[str]) -> str:
    """Return how a message names several: the first, and how many there are."""
    return names[0] if len(names) == 1 else f"{names[0]} (the first of {len(names):,})"


def check(
    listing: Listing,
    where: str,
    *,
    count: int | None = None,
    classes: Sequence[str] | None = None,
    present: Sequence[int] | None = None,
) -> None:
    """Hold a listing of the source ``where`` to what is promised of it.

    ``count`` is the number of images; ``classes`` the ids that labels point to; ``present`` the
    labels that have at least an image each, and no image any other, -1 aside.

    Raises:
        ValueError: there is no image, two have one name, or a promise is broken.
    """
    names, labels = listing.names, listing.labels
    assert len(names) == len(labels) and labels.dtype == np.int64, (len(names), labels.dtype)
    if not names:
        raise ValueError(f"{where}: no image in it; look at the folder and the layout")
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
        raise ValueError(f"{where}: two images have the name {first_of(twice)}; rename one")
    if count is not None and len(names) != count:
        raise ValueError(f"{where}: {len(names):,} images, {count:,} expected (`count`)")
    if present is None:
        return

    def called(label: int) -> str:
        return f"{classes[label]} (label {label})" if classes else f"label {label}"

    if gaps := sorted(set(present) - set(labels.tolist())):
        raise ValueError(
            f"{where}: no image of {len(gaps):,} of {len(present):,} classes, the first is "
            f"{called(gaps[0])}; complete the source or change `present`"
        )
    if more := sorted(set(labels.tolist()) - set(present) - {-1}):
        raise ValueError(
            f"{where}: images of {len(more):,} classes that `present` does not name, the first is "
            f"{called(more[0])}; take them out or change `present`"
        )
