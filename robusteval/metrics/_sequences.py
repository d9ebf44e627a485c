"""Frames of a sequence held against its first frame or the one before."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Reference: TypeAlias = Literal["first", "previous"]


def flips(predictions: NDArray[np.integer[Any]], *, reference: Reference) -> NDArray[np.bool_]:
    """Return where (M, T - 1) the class of frames 2 to T of ``predictions`` (M, T) is another.

    Raises:
        ValueError: there is no sequence of at least two frames, or an unknown reference.
    """
    check_frames(predictions, 2, "predictions", "(M, T)")
    differs: NDArray[np.bool_] = predictions[:, 1:] != _references(predictions, reference)
    return differs


def moves(top5: NDArray[np.integer[Any]], *, reference: Reference) -> NDArray[np.int64]:
    """Return the top-5 distance (M, T - 1) of frames 2 to T of ``top5`` (M, T, K) each.

    The class at place k of the reference counts |k - place in the frame|, where a class that is
    not among the K places of the frame is at place K + 1.

    Raises:
        ValueError: there is no sequence of at least two frames, ``top5`` has other than one to
            five places or a class twice in a frame, or an unknown reference.
    """
    check_frames(top5, 3, "top5", "(M, T, K)")
    places = top5.shape[2]
    if not 1 <= places <= 5:
        raise ValueError(f"top5 has shape {top5.shape}: expected one to five classes a frame")
    ordered = np.sort(top5, axis=2)
    if (ordered[..., 1:] == ordered[..., :-1]).any():
        raise ValueError("top5 has a class twice in a frame: expected different classes")
    before, after = _references(top5, reference), top5[:, 1:]
    distance = np.zeros(after.shape[:2], np.int64)
    for place in range(places):
        same = after == before[..., place, np.newaxis]
        found = np.where(same.any(axis=2), same.argmax(axis=2), places)
        distance += np.abs(found - place)
    return distance


def check_frames(x: NDArray[Any], axes: int, name: str, expected: str) -> None:
    """Check that ``x`` has a sequence of at least two frames.

    Raises:
        ValueError: it has not; the message gives the shape.
    """
    if x.ndim != axes or x.shape[0] < 1 or x.shape[1] < 2:
        raise ValueError(
            f"{name} has shape {x.shape}: expected {expected}, M at least 1 sequence and T at "
            f"least 2 frames"
        )


def _references(x: NDArray[Any], reference: str) -> NDArray[Any]:
    if reference == "first":
        return x[:, :1]
    if reference == "previous":
        return x[:, :-1]
    raise ValueError(f"unknown reference {reference!r}; allowed are first, previous")
