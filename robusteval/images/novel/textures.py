"""Textures: brick, grass and gravel, surfaces without an object."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from robusteval.files import sha256

FOLDER = Path("data/textures")  # below the working directory; rule fetch_images fills it
FILES = {
    "brick.png": "7966caf324f6ba843118d98f7a07746d22f6a343430add0233eca5f6eaaa8fcf",
    "grass.png": "b6b6022426b38936c43a4ac09635cd78af074e90f42ffa8227ac8b7452d39f89",
    "gravel.png": "c48615b451bf1e606fbd72c0aa9f8cc0f068ab7111ef7d93bb9b0f2586440c12",
}


def textures(shape: tuple[int, int, int]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return 12 textures as images (N, H, W, C) of ``shape`` (H, W, C), and their ids (N,).

    They are the quarters of three grey photographs of 512 x 512 pixels, resized to H x W (bicubic)
    and repeated over C channels; the id is four times the photograph's place plus the quarter's,
    row by row.

    Source: CC0 Textures (public domain), as the package scikit-image has them.

    Raises:
        ValueError: a photograph is missing or has other bytes.
    """
    height, width, channels = shape
    images = []
    for name, expected in FILES.items():
        path = FOLDER / name
        if not path.is_file() or sha256(path) != expected:
            raise ValueError(
                f"{path}: missing or damaged, its SHA-256 is not {expected}; delete "
                f"results/images/raw/textures.json and run again to fetch it anew"
            )
        whole = np.asarray(Image.open(path))
        half = len(whole) // 2
        for top in (0, half):
            for left in (0, half):
                quarter = Image.fromarray(whole[top : top + half, left : left + half])
                images.append(quarter.resize((width, height), Image.Resampling.BICUBIC))
    grey = np.stack([np.asarray(image) for image in images])[..., np.newaxis]
    return np.repeat(grey, channels, axis=3), np.arange(len(images), dtype=np.int64)
