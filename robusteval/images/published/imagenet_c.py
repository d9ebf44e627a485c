"""ImageNet-C as it was released: the 50,000 validation images, 224 pixels, 19 corruptions."""

from pathlib import Path

from robusteval.corruptions._parts import EXTRA, FIFTEEN
from robusteval.images.published._folders import from_folders
from robusteval.images.published._release import Chosen, Published, check_corruption

SIDE, CLASSES = 224, 1000


def imagenet_c(folder: str | Path, corruption: str, chosen: Chosen) -> Published:
    """Return the images of ``corruption`` below ``folder`` that belong to the chosen clean ones.

    The files are ``corruption/severity/wnid/name.JPEG``, or the same one level deeper in the
    folder of an archive (noise, blur, weather, digital, extra). They were resized, cropped and
    compressed before they were published, and are used as they are.

    Source: Hendrycks and Dietterich 2019, arXiv:1903.12261.

    Raises:
        ValueError: see ``from_folders``; or the release has no such corruption.
    """
    check_corruption(corruption, "imagenet_c", FIFTEEN + EXTRA)
    return from_folders(folder, corruption, chosen, side=SIDE, classes=CLASSES)
