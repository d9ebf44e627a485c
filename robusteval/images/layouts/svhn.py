"""Street View House Numbers (Netzer et al. 2011), cropped digits: MATLAB files, 32 x 32 pixels."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing
from robusteval.images.layouts.arrays import Kept


def svhn(
    folder: Path, classes: Classes, *, file: str = "test_32x32.mat", labelled: bool = True
) -> Listing:
    """Return the listing of the images in ``file`` of ``folder``; the label is the digit shown.

    The file holds ``X`` (32, 32, 3, N) uint8 and ``y`` (N, 1), in which 10 stands for the digit 0.
    Without ``labelled`` all labels are -1.

    Raises:
        ValueError: the file is missing, damaged, or holds something else.
    """
    where = folder / file
    rows = MatRows(where)
    count = rows.whole.shape[3]
    digits = _variable(where, "y").ravel()
    if digits.shape != (count,) or not set(np.unique(digits).tolist()) <= set(range(11)):
        raise ValueError(f"{where}: y: {count:,} labels from 1 to 10 expected; fetch it again")
    given = (digits.astype(np.int64) % 10).tolist() if labelled else [-1] * count
    names = [f"{file}#{i}" for i in range(count)]
    keep, found = labels_of([str(v) for v in given], names, classes, str(where), numbers=True)
    return Listing([names[i] for i in keep], found, Kept(rows, keep))


class MatRows:
    """Reads image ``i`` (32, 32, 3) of the variable ``X`` in a MATLAB file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._whole: NDArray[np.uint8] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_whole": None}  # another process reads the file by itself

    def __call__(self, i: int) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.whole[..., i])

    @property
    def whole(self) -> NDArray[np.uint8]:
        """The array (32, 32, 3, N), all of it: 80 MB of the test part."""
        if self._whole is None:
            images = _variable(self.path, "X")
            if images.dtype != np.uint8 or images.ndim != 4 or images.shape[:3] != (32, 32, 3):
                raise ValueError(
                    f"{self.path}: X: {images.dtype} of shape {images.shape}; uint8 of 32 x 32 x 3 "
                    f"x N expected: the cropped digits, not the full numbers"
                )
            self._whole = images
        return self._whole


def _variable(path: Path, name: str) -> NDArray[Any]:
    from scipy.io import loadmat, whosmat  # not needed by the other layouts

    if not path.is_file():
        raise ValueError(f"{path}: no such file; put the cropped digits of SVHN there")
    try:
        if name not in (there := [variable[0] for variable in whosmat(path)]):
            raise ValueError(f"{path}: no {name} in it; there are {', '.join(there) or 'none'}")
        array: NDArray[Any] = loadmat(path, variable_names=[name])[name]
    except ValueError as error:
        if str(error).startswith(str(path)):
            raise
        raise ValueError(f"{path}: not a MATLAB file ({error}); fetch it again") from error
    except Exception as error:  # damage ends in errors of any kind
        raise ValueError(f"{path}: damaged ({error}); fetch it again") from error
    return array
