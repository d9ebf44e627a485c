"""Arrays that are used again from image to image.

Fresh arrays of more than about 100 KiB come from the system page by page, which took a quarter to
half of the time of several corruptions.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Scratch:
    """Holds arrays by name; each call of a corruption has its own, so nothing is shared."""

    def __init__(self) -> None:
        self._held: dict[str, NDArray[np.uint8]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array with any content; whoever asks by the same name gets the same memory."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        held = self._held.get(name)
        if held is None or held.size < size:
            held = self._held[name] = np.empty(size, np.uint8)
        return held[:size].view(dtype).reshape(shape)
