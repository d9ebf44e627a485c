"""What a worker does with images of a listing: hash, decode, bring into a view."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robusteval.images._decode import picture_of
from robusteval.images._listing import Content
from robusteval.images._view import View, viewed

OK = "ok"


@dataclass(frozen=True)
class Source:
    """What the workers share: how to read image ``i``, the names, how to orient pictures."""

    read: Callable[[int], Content]
    names: Sequence[str]
    orientation: str


@dataclass(frozen=True)
class Views:
    """As ``source``, with the view to make, and the hash that the content of each should have."""

    source: Source
    view: View
    sha256: Sequence[str]


class Found(NamedTuple):
    """What an image is: hash of its content, size and mode of the picture, OK or what is wrong."""

    sha256: str
    width: int
    height: int
    mode: str
    status: str


def found(source: Source, rows: range) -> list[Found]:
    """Return what the images ``rows`` are, each decoded in full."""
    return [_found(source, i) for i in rows]


def _found(source: Source, i: int) -> Found:
    digest = ""
    try:
        content = _read(source, i)
        digest = digest_of(content)
        picture = picture_of(content, source.names[i], orientation=source.orientation)
    except ValueError as error:
        return Found(digest, 0, 0, "", str(error))
    height, width = picture.pixels.shape[:2]
    return Found(digest, width, height, picture.mode, OK)


def views(shared: Views, rows: Sequence[int]) -> NDArray[np.uint8]:
    """Return the images ``rows`` in their view, (N, H, W, C) uint8.

    Raises:
        ValueError: an image changed since it was listed, or cannot be brought into the view.
    """
    return np.stack([_viewed(shared, i) for i in rows])


def _viewed(shared: Views, i: int) -> NDArray[np.uint8]:
    source = shared.source
    content = _read(source, i)
    if (now := digest_of(content)) != shared.sha256[i]:
        raise ValueError(
            f"{source.names[i]}: changed since it was listed: SHA-256 is {now}, "
            f"{shared.sha256[i]} expected; restore it, or list the images again"
        )
    picture = picture_of(content, source.names[i], orientation=source.orientation)
    try:
        return viewed(picture.pixels, shared.view)
    except ValueError as error:
        raise ValueError(f"{source.names[i]}: {error}") from error


def _read(source: Source, i: int) -> Content:
    try:
        return source.read(i)
    except OSError as error:
        raise ValueError(f"{source.names[i]}: cannot be read: {error.strerror or error}") from error


def digest_of(content: Content) -> str:
    """Return the hexadecimal SHA-256 of a file's bytes, or of an array's in row order."""
    return hashlib.sha256(
        content if isinstance(content, bytes) else np.ascontiguousarray(content).data
    ).hexdigest()
