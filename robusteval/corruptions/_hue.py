"""The hue of colours, with the rounding of the published way over HSV."""

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import unit


def middle_share(
    planes: NDArray[np.uint8], largest: NDArray[np.uint8], delta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where the middle channel lies between the largest (0) and the smallest (1).

    ``planes`` are the channels (3, ...), ``largest`` (...) their maximum and ``delta`` (...) the
    maximum less the minimum, scale 0 to 1. The hue is made and taken apart again because products
    with it are whole grey levels on paper, and there the rounding of each step decides what
    truncation makes of them.
    """
    red, green, blue = unit(planes)
    is_green, is_blue = planes[1:] == largest
    divisor = np.where(delta == 0.0, 1.0, delta)
    difference = np.where(is_blue, red - green, np.where(is_green, blue - red, green - blue))
    hue: NDArray[np.float64] = (
        np.where(is_blue, 4.0, np.where(is_green, 2.0, 0.0)) + difference / divisor
    )
    hue /= 6.0
    hue += hue < 0.0  # a full turn
    hue *= 6.0
    sector = np.floor(hue)
    hue -= sector
    # In odd sectors the middle channel falls from the largest, in even ones it rises to it.
    odd = (sector.astype(np.int8) & 1).view(np.bool_)  # many times faster than a remainder
    share: NDArray[np.float64] = np.where(odd, hue, 1.0 - hue)
    return share
