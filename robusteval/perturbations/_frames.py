"""Putting frames into sequences."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def sequences(
    images: NDArray[np.uint8], frames: int, frame: Callable[[int], NDArray[np.uint8]]
) -> NDArray[np.uint8]:
    """Return sequences (N, T, H, W, C) of ``frame(0)`` to ``frame(frames - 1)``, each (N, H, W, C).

    ``images`` (N, H, W, C) give the shape. Frames are asked for in order.
    """
    made = np.empty((len(images), frames, *images.shape[1:]), np.uint8)
    for t in range(frames):
        made[:, t] = frame(t)
    return made


def noise_sequences(
    images: NDArray[np.uint8], frames: int, noisy: Callable[[], NDArray[np.uint8]]
) -> NDArray[np.uint8]:
    """Return sequences of the image itself and ``frames`` - 1 draws of ``noisy()``."""
    return sequences(images, frames, lambda t: images if t == 0 else noisy())
