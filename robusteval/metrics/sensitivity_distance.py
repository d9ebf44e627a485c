"""How visible the change of each image is where the eye is sensitive: in flat areas."""

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._pairs import Image, check_maps, of_pairs

FLOOR = math.sqrt(8) / 9 / 255
"""The least standard deviation of a 3 x 3 window of 8-bit values that is not flat: one value of the
nine differs by one level."""


def sensitivity_distance(
    adversarial: NDArray[np.float32], clean: NDArray[np.float32], *, floor: float = FLOOR
) -> NDArray[np.float64]:
    """Return ``sum_j |x^a_j - x_j| / std(R_j)`` (N,), float64, of images (N, C, H, W) in [0, 1].

    R_j is the 3 x 3 window around value j of the clean image, channel by channel, with reflected
    edges; its population standard deviation counts as ``floor`` where it is less, since a flat
    window would make any change infinitely visible. The sum grows with the image's size.

    Source: Luo et al., "Towards imperceptible and robust adversarial example attacks against
        neural networks", AAAI 2018, arXiv 1801.04693.

    Raises:
        ValueError: there is no image, the shapes differ, an image is not (C, H, W) with at least
            two rows and columns, or holds NaN or infinity, or ``floor`` is not more than 0.
    """
    check_floor(floor)
    return of_pairs(adversarial, clean, partial(visible, floor=floor))


def check_floor(floor: float) -> None:
    """Check the least standard deviation.

    Raises:
        ValueError: it is not more than 0.
    """
    if not 0 < floor < math.inf:
        raise ValueError(
            f"floor {floor}: more than 0 expected, a flat window has a standard deviation of 0"
        )


def visible(adversarial: Image, clean: Image, *, floor: float) -> float:
    """Return the perturbation sensitivity distance of one pair (C, H, W).

    Raises:
        ValueError: it is not (C, H, W) with at least two rows and columns.
    """
    check_maps(clean)
    around = np.pad(clean, ((0, 0), (1, 1), (1, 1)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(around, (3, 3), axis=(1, 2))
    spread = np.maximum(windows.std(axis=(3, 4)), floor)
    return float(np.sum(np.abs(adversarial - clean) / spread))
