"""Tiny-ImageNet-C as it was released: 10,000 images of 200 classes, 64 pixels."""

from pathlib import Path

from robusteval.corruptions._parts import EXTRA, FIFTEEN
from robusteval.images.published._folders import from_folders
from robusteval.images.published._release import Chosen, Published, check_corruption

SIDE, CLASSES = 64, 200
HINT = (
    "; its images are not those of Tiny ImageNet's validation part: the clean ones were released "
    "with it"
)


def tiny_imagenet_c(folder: str | Path, corruption: str, chosen: Chosen) -> Published:
    """Return the images of ``corruption`` below ``folder`` that belong to the chosen clean ones.

    The files are laid out as those of ImageNet-C. Their clean images were cropped anew out of
    ImageNet and are neither Tiny ImageNet's validation nor its test images (hendrycks/robustness,
    issue 39). One copy in circulation has a frost of 1,000 classes (issue 60), which is refused.

    Source: Hendrycks and Dietterich 2019, arXiv:1903.12261.

    Raises:
        ValueError: see ``from_folders``; or the release has no such corruption.
    """
    check_corruption(corruption, "tiny_imagenet_c", FIFTEEN + EXTRA)
    return from_folders(folder, corruption, chosen, side=SIDE, classes=CLASSES, hint=HINT)
