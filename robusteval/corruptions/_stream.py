"""Corrupting more images than the memory holds, block by block."""

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._apply import corrupt
from robusteval.corruptions._storage import stored
from robusteval.seeds import generator
from robusteval.workers import in_order

BLOCK_BYTES = 1 << 22  # 27 images of 224 pixels: little memory, and long against a task's overhead

# severity, image ids, rows of the mapped file, or else the images themselves
Task: TypeAlias = tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8] | None]


def stream(
    images: NDArray[np.uint8],
    corruption: str,
    severities: Sequence[int],
    seed: int,
    ids: NDArray[np.int64],
    *,
    family: str,
    storage: str = "array",
    rows: NDArray[np.int64] | None = None,
    workers: int = 1,
    block: int | None = None,
) -> Iterator[NDArray[np.uint8]]:
    """Yield ``images`` (N, H, W, C), uint8, corrupted, in blocks (n, H, W, C).

    All images come at the first of ``severities``, in order, then all at the next one, as they are
    read again from ``storage``. ``rows``
    (M,) are the positions of the images that are taken, by default all, ``ids`` (M,) their image
    ids. An image draws from the generator of (``seed``, ``corruption``, severity, image id), so it
    is the same bytes whatever ``workers``, the number of processes, and ``block``, the images at a
    time. Memory-mapped images are read where they are needed, by the workers themselves.

    Raises:
        ValueError: what ``corrupt`` refuses, or not one id an image.
    """
    rows = np.arange(len(images)) if rows is None else rows
    if len(ids) != len(rows):
        raise ValueError(f"{len(ids)} ids for {len(rows)} images; one an image is allowed")
    block = block or max(1, BLOCK_BYTES // max(1, images[:1].nbytes))
    mapped = _mapped(images)
    work = _Work(corruption, seed, family, storage, mapped)

    def tasks() -> Iterator[Task]:
        for severity in severities:
            for start in range(0, len(rows), block):
                part = slice(start, start + block)
                yield severity, ids[part], rows[part], None if mapped else images[rows[part]]

    return in_order(_corrupted, work, tasks(), workers=workers)


@dataclass(frozen=True)
class Generators(Sequence[np.random.Generator]):
    """The generators of images by their ids, each made when it is asked for.

    A corruption that draws nothing asks for none; made in advance they took it a tenth of its time.
    """

    seed: int
    corruption: str
    severity: int
    ids: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> np.random.Generator: ...
    @overload
    def __getitem__(self, at: slice) -> "Generators": ...
    def __getitem__(self, at: int | slice) -> "np.random.Generator | Generators":
        if isinstance(at, slice):
            return replace(self, ids=self.ids[at])
        return generator(int(self.seed), self.corruption, int(self.severity), int(self.ids[at]))


@dataclass(frozen=True)
class _Mapped:
    """A file of images that every process can map for itself."""

    path: str
    offset: int
    shape: tuple[int, ...]

    def images(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        images = np.memmap(self.path, np.uint8, "r", self.offset, self.shape)
        taken: NDArray[np.uint8] = images[rows]
        return taken


@dataclass(frozen=True)
class _Work:
    """What all tasks of a stream share."""

    corruption: str
    seed: int
    family: str
    storage: str
    mapped: _Mapped | None


def _corrupted(work: _Work, task: Task) -> NDArray[np.uint8]:
    severity, ids, rows, images = task
    if images is None:
        assert work.mapped is not None
        images = work.mapped.images(rows)
    generators = Generators(work.seed, work.corruption, severity, ids)
    made = corrupt(images, work.corruption, severity, generators, family=work.family)
    return stored(made, work.storage)


def _mapped(images: NDArray[np.uint8]) -> _Mapped | None:
    """Return where the file of ``images`` is, if they are a whole array mapped from one."""
    if not isinstance(images, np.memmap) or not isinstance(images.base, mmap.mmap):
        return None
    if images.dtype != np.uint8 or not images.flags.c_contiguous:
        return None
    return _Mapped(str(images.filename), images.offset, images.shape)
