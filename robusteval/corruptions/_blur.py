"""Blurring grey levels with a normal kernel, to the published bit."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from robusteval.corruptions._band import Band, normal_band
from robusteval.corruptions._flat import is_flat
from robusteval.corruptions._levels import truncated, unit
from robusteval.corruptions._scratch import Scratch

TRUNCATE = 4.0  # the kernel's reach in standard deviations
NEAR = 1e-9  # levels; rounding is below 1e-12, and chance comes this near once in a billion values
FEW = 16  # up to so many values are worked out one by one; beyond, the whole image is quicker


def blurred(
    image: NDArray[np.uint8], sigma: float, scratch: Scratch, truncate: float = TRUNCATE
) -> NDArray[np.uint8]:
    """Return ``image`` (H, W, C) blurred, as rows of planes (H, C, W), in scratch memory.

    The kernel is cut at ``truncate`` standard deviations ``sigma``, in pixels.

    Source: gaussian_filter of scipy with mode="nearest". Its last bits decide what truncation
    makes of whole levels, which flat areas and slopes give, so these take the published steps.
    """
    height, width, channels = image.shape
    planes = scratch.array("planes", (height, channels, width), np.uint8)
    planes[:] = image.transpose(0, 2, 1)
    x = scratch.array("x", planes.shape, np.float64)
    y = scratch.array("y", planes.shape, np.float64)
    x[:] = planes
    _band(height, sigma, truncate).along_rows(x.reshape(height, -1), y.reshape(height, -1))
    _band(width, sigma, truncate).along_columns(y.reshape(-1, width), x.reshape(-1, width))
    x += NEAR
    result: NDArray[np.uint8] = scratch.array("result", planes.shape, np.uint8)
    result[:] = x
    x -= result
    _settle_whole_levels(result, x < 2 * NEAR, planes, sigma, truncate)
    return result


@lru_cache(maxsize=16)
def _band(side: int, sigma: float, truncate: float) -> Band:
    return normal_band(side, sigma, truncate=truncate, mode="edge")


def _settle_whole_levels(
    result: NDArray[np.uint8],
    whole: NDArray[np.bool_],
    planes: NDArray[np.uint8],
    sigma: float,
    truncate: float,
) -> None:
    """Overwrite ``result`` with the published levels where it is ``whole``; all (H, C, W)."""
    if not whole.any():
        return
    reach = int(truncate * sigma + 0.5)
    flat = is_flat(planes, reach)
    flat &= whole
    result[flat] = _of_flat_areas(sigma, truncate)[planes[flat]]
    whole ^= flat
    if np.count_nonzero(whole) > FEW:
        result[:] = _published(planes, sigma, truncate)
        return
    for row, channel, column in zip(*np.nonzero(whole), strict=True):
        top, left = max(0, row - reach), max(0, column - reach)
        seen = planes[top : row + reach + 1, channel : channel + 1, left : column + reach + 1]
        result[row, channel, column] = _published(seen, sigma, truncate)[
            row - top, 0, column - left
        ]


def _published(planes: NDArray[np.uint8], sigma: float, truncate: float) -> NDArray[np.uint8]:
    return truncated(
        gaussian_filter(unit(planes), (sigma, 0.0, sigma), mode="nearest", truncate=truncate)
    )


@lru_cache(maxsize=16)
def _of_flat_areas(sigma: float, truncate: float) -> NDArray[np.uint8]:
    """Return the blurred level (256,) of a flat area of each level."""
    levels = np.arange(256, dtype=np.uint8).reshape(1, 256, 1)
    return _published(levels, sigma, truncate).ravel()
