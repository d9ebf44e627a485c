"""Plasma: random clouds, made by the diamond-square algorithm on a periodic square."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import is_legacy, uniform

FIRST_AMPLITUDE = 100.0


def plasma(side: int, decay: float, generator: np.random.Generator) -> NDArray[Any]:
    """Return a map (side, side) from 0 to 1; ``side`` is a power of two.

    It is of float64 as published for a legacy generator, else of float32, in half the time.

    Every level halves the step of the grid and divides the amplitude by ``decay``: the higher,
    the smoother. The amplitude enters squared, as published.
    """
    cloud = np.zeros((side, side), np.float64 if is_legacy(generator) else np.float32)
    step, amplitude = side, FIRST_AMPLITUDE
    while step >= 2:
        _fill(cloud, step, amplitude, generator)
        step //= 2
        amplitude /= decay
    cloud -= cloud.min()
    cloud /= cloud.max()
    return cloud


def _fill(cloud: NDArray[Any], step: int, amplitude: float, generator: np.random.Generator) -> None:
    """Fill the points halfway between those of the grid of ``step``."""
    half = step // 2
    corners = cloud[::step, ::step]

    def with_noise(total: NDArray[Any]) -> NDArray[Any]:
        total /= 4.0
        noise = uniform(generator, total.shape, total.dtype.type)
        noise *= 2.0 * amplitude
        noise -= amplitude
        noise *= amplitude
        total += noise
        return total

    columns = corners + _next_row(corners)
    centres = with_noise(columns + _next_column(columns))
    cloud[half::step, half::step] = centres
    above = np.concatenate([centres[-1:], centres[:-1]])
    cloud[::step, half::step] = with_noise(above + centres + (corners + _next_column(corners)))
    before = np.concatenate([centres[:, -1:], centres[:, :-1]], axis=1)
    cloud[half::step, ::step] = with_noise(before + centres + columns)


def _next_row(x: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([x[1:], x[:1]])


def _next_column(x: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([x[:, 1:], x[:, :1]], axis=1)
