"""Releases of arrays: all images of a corruption in one ``.npy`` file, the labels in another."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.images.published._release import Chosen, Published


def from_arrays(
    images: Path,
    labels: Path,
    chosen: Chosen,
    *,
    severities: tuple[int, ...],
    count: int,
    shape: tuple[int, int, int],
) -> Published:
    """Return the chosen images of a file with ``count`` images a severity, the mildest first.

    The arrays have no names: the place within a severity is the id of the image, and that its
    label is that of the clean image is all that can be checked. Files stay on disk, mapped.

    Raises:
        ValueError: a file is missing, damaged or of another shape or type, an id is outside, or
            labels disagree with those of the clean images.
    """
    total = len(severities) * count
    stored = _mapped(images, (total, *shape))
    if stored.dtype != np.uint8:
        raise ValueError(f"{images}: values of type {stored.dtype}, uint8 expected; fetch it anew")
    truth = np.asarray(_mapped(labels, (total,)))
    if truth.dtype.kind not in "iu":
        raise ValueError(
            f"{labels}: values of type {truth.dtype}, integers expected; fetch it anew"
        )
    outside = chosen.ids[(chosen.ids < 0) | (chosen.ids >= count)]
    if len(outside):
        raise ValueError(
            f"{images}: {count:,} images a severity, image {outside[0]} is not among them; the "
            f"clean images must be the test set in its published order"
        )
    _check_labels(labels, truth.reshape(len(severities), count)[:, chosen.ids], chosen)

    def read(severity: int, rows: slice) -> NDArray[np.uint8]:
        first = severities.index(severity) * count
        return np.asarray(stored[first + chosen.ids[rows]])

    return Published(shape, severities, len(chosen.ids), read)


def _mapped(path: Path, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array in a file, mapped, if it has ``shape``."""
    if not path.is_file():
        raise ValueError(f"{path}: not there; unpack the set into this folder")
    try:
        array = np.lib.format.open_memmap(path, mode="r")
    except ValueError as error:
        raise ValueError(f"{path}: damaged ({error}); fetch it anew") from error
    if array.shape != shape:
        raise ValueError(f"{path}: shape {array.shape}, {shape} expected; fetch it anew")
    return array


def _check_labels(path: Path, truth: NDArray[Any], chosen: Chosen) -> None:
    """Check the labels (S, N) of all severities against those of the clean images (N,)."""
    wrong = (truth != chosen.labels).any(axis=0)
    if not wrong.any():
        return
    at = int(np.argmax(wrong))
    said = " and ".join(map(str, sorted(set(truth[:, at].tolist()))))
    raise ValueError(
        f"{path}: the labels of {int(wrong.sum()):,} of {len(wrong):,} images differ from those "
        f"of the clean images, the first is image {chosen.ids[at]}: {said} here, "
        f"{chosen.labels[at]} there; the clean images must be the test set in its published order"
    )
