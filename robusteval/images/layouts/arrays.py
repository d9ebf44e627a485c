"""Images as one array in an .npz or .npy file, with an array of labels."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing
from robusteval.images.layouts._rows import Rows


def arrays(
    folder: Path,
    classes: Classes,
    *,
    file: str | None = None,
    images: str = "images",
    labels: str | None = "labels",
) -> Listing:
    """Return the listing of the rows of an array (N, H, W, C) or (N, H, W), uint8.

    With ``file``, an .npz file in ``folder``, ``images`` and ``labels`` are arrays in it; without,
    they are the files ``images.npy`` and ``labels.npy``. Without ``labels`` all are -1. Floats
    pass if they are levels k / 255. Images are read one by one, out of a compressed file too.

    Raises:
        ValueError: a file or array is missing, has another shape or type, holds images that were
            normalised already, or there are more or fewer labels than images.
    """
    rows = Rows(folder / (file or f"{images}.npy"), images if file else None)
    if len(rows.shape) == 4 and rows.shape[1] in (1, 3) and rows.shape[3] not in (1, 3):
        raise ValueError(
            f"{rows.where}: shape {rows.shape} has its channels first; N x H x W x C expected: "
            f"images.transpose(0, 2, 3, 1)"
        )
    if len(rows.shape) not in (3, 4) or (len(rows.shape) == 4 and rows.shape[3] not in (1, 3)):
        raise ValueError(f"{rows.where}: shape {rows.shape}; N x H x W x C, C 1 or 3, expected")
    count = rows.shape[0]
    for i in range(min(count, 16)):  # enough to see at once what is wrong with all
        rows(i)
    given = [-1] * count if labels is None else _labels(folder, file, labels, count)
    names = [f"{file or f'{images}.npy'}#{i}" for i in range(count)]
    keep, found = labels_of([str(v) for v in given], names, classes, rows.where, numbers=True)
    return Listing([names[i] for i in keep], found, Kept(rows, keep))


class Kept:
    """Reads image ``i``: the row ``keep[i]``."""

    def __init__(self, rows: Callable[[int], NDArray[np.uint8]], keep: NDArray[np.int64]) -> None:
        self.rows, self.keep = rows, keep

    def __call__(self, i: int) -> NDArray[np.uint8]:
        return self.rows(int(self.keep[i]))


def _labels(folder: Path, file: str | None, labels: str, count: int) -> list[int]:
    rows = Rows(folder / (file or f"{labels}.npy"), labels if file else None)
    values = rows.whole()
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise ValueError(
            f"{rows.where}: {values.dtype} of shape {values.shape}; whole numbers, one an image, "
            f"expected"
        )
    if len(values) != count:
        more = "images without labels" if len(values) < count else "labels without images"
        raise ValueError(
            f"{rows.where}: {len(values):,} labels for {count:,} images: {more} from row "
            f"{min(len(values), count)} on"
        )
    found: list[int] = values.tolist()
    return found
