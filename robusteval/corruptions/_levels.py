"""Between grey levels (uint8) and the unit scale (float64), as the published scripts go."""

import numpy as np
from numpy.typing import NDArray

LEVELS = np.arange(256) / 255.0
LEVELS.flags.writeable = False


def unit(images: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return ``images`` of any shape divided by 255, a new array, scale 0 to 1."""
    return np.divide(images, 255.0, dtype=np.float64, order="C")


def truncated(x: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return ``x`` clipped to [0, 1], times 255, truncated to uint8; overwrites ``x``.

    The published scripts end in ``np.uint8(...)``, which cuts off the fraction: rounding would
    brighten noisy and blurred images by half a level.
    """
    np.clip(x, 0.0, 1.0, out=x)
    x *= 255.0
    return x.astype(np.uint8)


def looked_up(levels: NDArray[np.uint8], table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return ``table[levels]``, read-only, for a ``table`` (256,) and levels of any shape.

    Text has a faster way for this than arrays: indices need not become whole machine words.
    """
    content = levels.tobytes().translate(table.tobytes())
    return np.frombuffer(content, np.uint8).reshape(levels.shape)
