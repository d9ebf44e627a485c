"""From the unit scale to grey levels."""

import numpy as np
from numpy.typing import NDArray


def rounded(x: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return ``x``, scale 0 to 1, clipped and rounded to levels 0 to 255, halves to even."""
    levels: NDArray[np.float64] = np.rint(np.clip(x, 0.0, 1.0) * 255.0)
    return levels.astype(np.uint8)
