"""Snow, in its parts: flakes that lie still, the whitened scene, and both together."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import is_legacy, normal
from robusteval.corruptions._levels import truncated, unit
from robusteval.corruptions._motion import moved
from robusteval.corruptions._scratch import Scratch
from robusteval.corruptions._zoom import centre_taps

Scale = TypeVar("Scale", np.float32, np.float64)

GREY = np.array([0.299, 0.587, 0.114], np.float32)  # of red, green and blue


def still_flakes(
    height: int,
    width: int,
    generator: np.random.Generator,
    *,
    mean: float,
    sd: float,
    factor: float,
    threshold: float,
) -> NDArray[np.uint8]:
    """Return flakes (H, W, 1): normal noise, enlarged by ``factor``, 0 below ``threshold``.

    ``mean``, ``sd`` and ``threshold`` are on the scale 0 to 1.
    """
    if factor == 1:
        noise = normal(generator, mean, sd, (height, width))
    else:
        noise = _enlarged_noise(height, width, mean, sd, factor, generator)
    noise[noise < threshold] = 0.0
    return truncated(noise)[..., np.newaxis]


def falling(
    flakes: NDArray[np.uint8],
    *,
    radius: int,
    sigma: float,
    degrees: float,
    scratch: Scratch | None = None,
) -> NDArray[np.float64]:
    """Return ``flakes`` (H, W, 1) blurred along their way as (H, W), scale 0 to 1."""
    return unit(moved(flakes, radius=radius, sigma=sigma, degrees=degrees, scratch=scratch)[..., 0])


def whitened(planes: NDArray[Scale], weight: float) -> NDArray[Scale]:
    """Return ``planes`` (C, H, W), scale 0 to 1, mixed with a whiter copy of themselves.

    ``weight`` is that of the scene, the rest that of the copy, which is nowhere darker than
    1.5 times the grey of the scene plus a half. Grey planes are their own grey. The grey is
    float32, as published; the mixture has the type of ``planes``.
    """
    white = np.maximum(planes, _grey(planes.astype(np.float32, copy=False)) * 1.5 + 0.5)
    mixture: NDArray[Scale] = weight * planes + (1 - weight) * white
    return mixture


def under_flakes(
    scene: NDArray[np.floating], flakes: NDArray[np.float64], out: NDArray[np.uint8]
) -> None:
    """Put ``scene`` (C, H, W) under ``flakes`` (H, W) and their half turn into ``out`` (H, W, C).

    Scene and flakes are on the scale 0 to 1.
    """
    result = truncated(scene + flakes + flakes[::-1, ::-1])
    for channel, plane in enumerate(result):
        out[..., channel] = plane


def _grey(planes: NDArray[np.float32]) -> NDArray[np.float32]:
    grey: NDArray[np.float32] = planes[0]
    if len(planes) == 3:
        grey = planes[0] * GREY[0] + planes[1] * GREY[1] + planes[2] * GREY[2]
    return grey


def _enlarged_noise(
    height: int,
    width: int,
    mean: float,
    sd: float,
    factor: float,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Return the centre of normal noise (H, W) enlarged to its whole size."""
    row, row_share = centre_taps(height, factor)
    column, column_share = centre_taps(width, factor)
    seen = (slice(row[0], row[-1] + 2), slice(column[0], column[-1] + 2))
    if is_legacy(generator):
        x = generator.normal(mean, sd, (height, width))[seen]
    else:  # numbers that are not seen need not be drawn, because all are independent
        x = normal(generator, mean, sd, (row[-1] + 2 - row[0], column[-1] + 2 - column[0]))
    row, column, row_share = row - row[0], column - column[0], row_share[:, np.newaxis]
    x = x.take(column, 1) * (1.0 - column_share) + x.take(column + 1, 1) * column_share
    enlarged: NDArray[np.float64] = x[row] * (1.0 - row_share) + x[row + 1] * row_share
    return enlarged
