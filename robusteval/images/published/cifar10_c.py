"""CIFAR-10-C as it was released: the 10,000 test images at five severities, 19 corruptions."""

from pathlib import Path

from robusteval.corruptions._parts import EXTRA, FIFTEEN
from robusteval.images.published._arrays import from_arrays
from robusteval.images.published._release import Chosen, Published, check_corruption

SEVERITIES = (1, 2, 3, 4, 5)


def cifar10_c(folder: str | Path, corruption: str, chosen: Chosen) -> Published:
    """Return the images of ``folder/corruption.npy`` that belong to the chosen clean ones.

    The file is 50,000 x 32 x 32 x 3: five severities of the test set, the mildest first. The
    labels of all 50,000 are in ``labels.npy``.

    Source: Hendrycks and Dietterich 2019, arXiv:1903.12261.

    Raises:
        ValueError: see ``from_arrays``; or the release has no such corruption.
    """
    check_corruption(corruption, "cifar10_c", FIFTEEN + EXTRA)
    return from_arrays(
        Path(folder) / f"{corruption}.npy",
        Path(folder) / "labels.npy",
        chosen,
        severities=SEVERITIES,
        count=10_000,
        shape=(32, 32, 3),
    )
