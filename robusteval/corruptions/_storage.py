"""What storing corrupted images does to them: the released ImageNet-C are JPEG files."""

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions.jpeg_compression import jpeg_compression

QUALITY = 85
STORAGES = ("array", f"jpeg_{QUALITY}")


def stored(images: NDArray[np.uint8], storage: str) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) uint8 as they are read again from ``storage``.

    "array" (CIFAR-10-C, MNIST-C) loses nothing. "jpeg_85" is how the files of ImageNet-C and
    Tiny-ImageNet-C were saved after the corruption, ``quality=85, optimize=True``; optimising
    shortens the file by other Huffman codes and changes no pixel, so it is left out here.

    Source: hendrycks/robustness, ImageNet-C/create_c/make_imagenet_c.py and make_tinyimagenet_c.py.

    Raises:
        ValueError: an unknown storage; the message lists those there are.
    """
    if storage not in STORAGES:
        raise ValueError(f"unknown storage {storage!r}; there are {', '.join(STORAGES)}")
    if storage == "array":
        return images
    return jpeg_compression(images, QUALITY, ())
