"""Distortion divided by the size of the image, so that models of other input sizes compare."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_rows


def distortion_by_size(
    distortion: NDArray[np.float64],
    per: Literal["pixel", "value"],
    *,
    height: int = 1,
    width: int = 1,
    channels: int = 1,
) -> NDArray[np.float64]:
    """Return ``distortion`` (N,) divided by the number of pixels or of channel values.

    ``pixel`` divides by height x width, ``value`` by height x width x channels. Su et al. (2018)
    are quoted with an axis of "L2 pixel distortion", which may be either; their code does not
    divide. The
    L2 norm of noise of a fixed strength grows with the root of the size, so a division by the
    size itself favours large images: compare models of one input size, or by L-infinity.

    Raises:
        ValueError: there is no image, the division is unknown, or a side is below 1.
    """
    check_rows(distortion=distortion)
    if per not in ("pixel", "value"):
        raise ValueError(f"per {per!r}: expected one of pixel, value")
    if min(height, width, channels) < 1:
        raise ValueError(f"size {height} x {width} x {channels}: expected at least 1 for each")
    size = height * width * (channels if per == "value" else 1)
    return np.asarray(distortion, np.float64) / size
