"""Making sequences from images by the names of a perturbation and a family."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._apply import check_images
from robusteval.perturbations._sequences import WIDER, constants, frames_of
from robusteval.plugins import load

BLOCK_VALUES = 1 << 18  # values worked on at once: 2 MiB a float64 array, within the caches


def perturb(
    images: NDArray[np.uint8],
    kind: str,
    generators: Sequence[np.random.Generator],
    *,
    family: str,
    side: int | None = None,
) -> NDArray[np.uint8]:
    """Return sequences (N, T, H, W, C), uint8, of ``images`` (N, H, W, C) under ``kind``.

    Frame 1 of the noise kinds and of zoom blur is the image itself. Image ``i`` draws from
    ``generators[i]`` alone, so its sequence does not depend on the images beside it. A sequence
    takes T, 16 to 41, times the memory of its image: hand in a few images at a time.

    ``side``, in pixels, is that of the frames where the images are larger: their centre is cut
    out, and what moves in from beyond the frame is the image's margin instead of black. ImageNet-P
    was made in this way, of images whose shorter side is 256, with frames of 224. Its images keep
    their longer side, which makes tilt weaker; here N images share a shape.

    Raises:
        ValueError: an unknown family or kind, images of another type or shape, not one generator
            an image, or a side that the images do not have.
    """
    function = load("perturbations", kind)
    values = constants(kind, family=family)
    check_images(images, generators)
    if side is not None and not 0 < side <= min(images.shape[1:3]):
        raise ValueError(f"frames of {side} pixels from images of shape {images.shape}")
    if kind not in WIDER:
        images = _centre(images, side)
    frame_shape = _centre(images, side).shape[1:]
    made = np.empty((len(images), frames_of(kind, family=family), *frame_shape), np.uint8)
    # The functions hold several float64 copies of what they are given: blocks bound the memory.
    step = max(1, BLOCK_VALUES // max(1, images[:1].size))
    for start in range(0, len(images), step):
        block = slice(start, start + step)
        made[block] = _centre(function(images[block], generators[block], **values), side)
    return made


def _centre(x: NDArray[np.uint8], side: int | None) -> NDArray[np.uint8]:
    """Return the central ``side`` x ``side`` pixels of images or sequences (..., H, W, C)."""
    if side is None:
        return x
    top, left = (round((length - side) / 2) for length in x.shape[-3:-1])
    return x[..., top : top + side, left : left + side, :]
