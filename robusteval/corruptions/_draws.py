"""Drawing from new and legacy random generators.

``normal``, ``uniform``, ``poisson`` and ``random`` are called alike on ``numpy.random.Generator``
and on ``numpy.random.RandomState``; only whole numbers are not. Where the same distribution can be
had faster than by the published calls, a new generator draws it so.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_legacy(generator: np.random.Generator) -> bool:
    """Return whether the published stream is asked for, which takes the published calls."""
    return isinstance(generator, np.random.RandomState)


def integers(
    generator: np.random.Generator, low: int, high: int, size: tuple[int, ...]
) -> NDArray[np.int64]:
    """Return whole numbers of shape ``size`` from ``low`` to ``high - 1``, all equally likely.

    A ``RandomState`` gives the stream of its ``randint``, which is the published one: one call
    for many numbers draws the same as many calls for one.
    """
    if isinstance(generator, np.random.RandomState):
        return generator.randint(low, high, size)
    return generator.integers(low, high, size)


def uniform(
    generator: np.random.Generator, size: tuple[int, ...], dtype: type[np.floating[Any]]
) -> NDArray[Any]:
    """Return numbers of shape ``size`` and ``dtype``, float32 or float64, from 0 to below 1.

    A ``RandomState`` draws float64, the published stream.
    """
    if isinstance(generator, np.random.RandomState):
        return generator.random(size).astype(dtype, copy=False)
    return generator.random(size, dtype=np.float32 if dtype is np.float32 else np.float64)


def normal(
    generator: np.random.Generator, mean: float, sd: float, size: tuple[int, ...]
) -> NDArray[Any]:
    """Return normal numbers of shape ``size``, float64.

    A ``RandomState`` gives the published stream. A new generator draws float32, whose 24 bits are
    enough for noise and take half the time.
    """
    if isinstance(generator, np.random.RandomState):
        return generator.normal(mean, sd, size)
    drawn = generator.standard_normal(size, dtype=np.float32).astype(np.float64)
    drawn *= sd
    drawn += mean
    return drawn
