"""JPEG compression: the artefacts of its blocks."""

from collections.abc import Sequence
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def jpeg_compression(
    images: NDArray[np.uint8], constant: float, generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) written as JPEG and read again; draws nothing.

    ``constant`` is the quality, 1 to 95. Colour is stored at half the resolution (4:2:0, the
    default of Pillow), grey images have no colour. JPEG does not fix the decoder to the bit:
    libjpeg-turbo and libjpeg 9 enlarge the colour differently.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    corrupted = np.empty_like(images, order="C")
    for image, out in zip(images, corrupted, strict=True):
        file = BytesIO()
        picture = Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image)
        picture.save(file, "JPEG", quality=int(constant))
        out[:] = np.asarray(Image.open(file)).reshape(out.shape)
    return corrupted
