"""MNIST-C as it was released: the 10,000 test images under 15 corruptions, one severity each."""

from pathlib import Path

from robusteval.corruptions._parts import MNIST_FIFTEEN
from robusteval.images.published._arrays import from_arrays
from robusteval.images.published._release import Chosen, Published, check_corruption

SEVERITIES = (1,)  # each corruption has one, fixed


def mnist_c(folder: str | Path, corruption: str, chosen: Chosen) -> Published:
    """Return the test images of ``folder/corruption`` that belong to the chosen clean ones.

    ``test_images.npy`` is 10,000 x 28 x 28 x 1, ``test_labels.npy`` has their labels. The release
    has the clean images too, as the corruption ``identity``.

    Source: Mu and Gilmer 2019, arXiv:1906.02337.

    Raises:
        ValueError: see ``from_arrays``; or the release has no such corruption.
    """
    check_corruption(corruption, "mnist_c", ("identity", *MNIST_FIFTEEN))
    return from_arrays(
        Path(folder) / corruption / "test_images.npy",
        Path(folder) / corruption / "test_labels.npy",
        chosen,
        severities=SEVERITIES,
        count=10_000,
        shape=(28, 28, 1),
    )
