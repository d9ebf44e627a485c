"""Between grey levels (uint8) and the unit scale (float64), as the published scripts go."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

LEVELS = np.arange(256) / 255.0
LEVELS.flags.writeable = False
LUMA = np.array([0.299, 0.587, 0.114])  # of red, green and blue
LUMA.flags.writeable = False


def unit(images: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return ``images`` of any shape divided by 255, a new array, scale 0 to 1."""
    return np.divide(images, 255.0, dtype=np.float64, order="C")


Levels: TypeAlias = Callable[[NDArray[np.floating]], NDArray[np.uint8]]


def truncated(x: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return ``x`` clipped to [0, 1], times 255, truncated to uint8; overwrites ``x``.

    The published scripts of colour images end in ``np.uint8(...)``, which cuts off the fraction:
    rounding would brighten noisy and blurred images by half a level.
    """
    np.clip(x, 0.0, 1.0, out=x)
    x *= 255.0
    return x.astype(np.uint8)


def rounded(x: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return ``x`` clipped to [0, 1], times 255, rounded to uint8; overwrites ``x``.

    MNIST-C's functions return floats, which its notebook rounds; how the published files were made
    is not known. Halves, which are common, go to the even level: they are halves only after
    rounding to float32, which forgets the last bits of the steps before.
    """
    np.clip(x, 0.0, 1.0, out=x)
    x *= 255.0
    return np.rint(x.astype(np.float32)).astype(np.uint8)


def looked_up(levels: NDArray[np.uint8], table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return ``table[levels]``, read-only, for a ``table`` (256,) and levels of any shape.

    Text has a faster way for this than arrays: indices need not become whole machine words.
    """
    content = levels.tobytes().translate(table.tobytes())
    return np.frombuffer(content, np.uint8).reshape(levels.shape)
