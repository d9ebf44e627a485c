"""A mean over images with its bootstrap interval, as columns of a table."""

import numpy as np
from numpy.typing import NDArray

from robusteval.bootstrap import bootstrap
from robusteval.seeds import generator

LOW, HIGH = "bootstrap95_low", "bootstrap95_high"


def mean_with_interval(
    values: NDArray[np.float64], name: str, *key: str, digits: int = 4
) -> dict[str, float]:
    """Return the mean of ``values`` (N,) as column ``name``, and its interval, NaN of one image.

    ``key`` names the resamples, which are the same each time; ``digits`` are significant ones.
    Nothing is returned of no values.
    """
    if not len(values):
        return {}
    low, high = bootstrap(values, np.mean, generator(0, "mean_with_interval", name, *key))
    means = {name: float(np.mean(values)), LOW: low, HIGH: high}
    return {column: significant(value, digits) for column, value in means.items()}


def significant(value: float, digits: int = 4) -> float:
    """Return a number with ``digits`` significant digits."""
    return float(f"{value:.{digits}g}")
