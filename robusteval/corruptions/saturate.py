"""Saturate: colours made paler or stronger."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._hue import middle_share
from robusteval.corruptions._levels import LEVELS, truncated
from robusteval.corruptions._pixelwise import pixelwise


def saturate(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, 3) with another saturation, hue and value kept; draws nothing.

    ``constant`` is a factor on the saturation S (scale 0 to 1) and what is added to it then; S is
    clipped to [0, 1]. Grey pixels of colour images have the hue of red, so adding reddens them.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.

    Raises:
        ValueError: images of one channel; grey has no saturation to change.
    """
    if images.shape[-1] != 3:
        raise ValueError(
            f"images of shape {images.shape}; saturate allows three channels only, because grey "
            "has no saturation to change"
        )
    return pixelwise(images, lambda planes: _saturated(planes, *constant))


def _saturated(planes: NDArray[np.uint8], factor: float, offset: float) -> NDArray[np.uint8]:
    """Return colours ``planes`` (3, ...) with S = clip(S * factor + offset, 0, 1), truncated."""
    largest = np.maximum(np.maximum(planes[0], planes[1]), planes[2])
    smallest = np.minimum(np.minimum(planes[0], planes[1]), planes[2])
    value = LEVELS[largest]
    delta = value - LEVELS[smallest]
    saturation = delta / np.where(largest == 0, 1.0, value)  # black: any divisor gives 0
    saturation *= factor
    saturation += offset
    np.clip(saturation, 0.0, 1.0, out=saturation)
    levels_low = truncated(value * (1.0 - saturation))
    levels_middle = truncated(value * (1.0 - middle_share(planes, largest, delta) * saturation))
    changed = np.where(planes == smallest, levels_low, levels_middle)
    changed = np.where(planes == largest, largest, changed)
    grey = largest == smallest
    for plane in changed[1:]:  # of grey pixels red alone keeps the value
        np.copyto(plane, levels_low, where=grey)
    return changed
