"""Turning, shearing and enlarging images about their centre."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Matrix: TypeAlias = tuple[float, float, float, float]


def about_centre(images: NDArray[np.uint8], matrices: Sequence[Matrix]) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under each of ``matrices`` as sequences (N, T, H, W, C).

    A matrix (a, b, d, e) says where a pixel comes from: its column is the centre's plus
    a times the way to the right and b times the way down from the centre, its row alike with d and
    e. Linear between pixels and cut off to whole levels; black beyond the image.

    The centre is half a pixel to the right of and below the middle, where torchvision put it when
    the data were published. Which versions of torchvision and Pillow made them is not recorded, so
    half a pixel is not certain.
    """
    n, height, width, channels = images.shape
    across, down = width * 0.5 + 0.5, height * 0.5 + 0.5
    made = np.empty((n, len(matrices), *images.shape[1:]), np.uint8)
    for image, sequence in zip(images, made, strict=True):
        picture = Image.fromarray(image[..., 0] if channels == 1 else image)
        for out, (a, b, d, e) in zip(sequence, matrices, strict=True):
            column, row = across - a * across - b * down, down - d * across - e * down
            seen = picture.transform(
                (width, height),
                Image.Transform.AFFINE,
                (a, b, column, d, e, row),
                Image.Resampling.BILINEAR,
                fillcolor=0,
            )
            out[:] = np.asarray(seen).reshape(out.shape)
    return made
