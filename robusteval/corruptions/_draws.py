"""Drawing from new and legacy random generators.

``normal``, ``uniform``, ``poisson`` and ``random`` are called alike on ``numpy.random.Generator``
and on ``numpy.random.RandomState``; only whole numbers are not. Where the same distribution can be
had faster than by the published calls, a new generator draws it so.
"""

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
