"""NU: how much the value of each neuron varies over images."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite
from robusteval.metrics._shares import check_table


def neuron_uncertainty(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the population variance (U,), float64, of each neuron over images; lower is steadier.

    ``values`` (N, U) are those of U neurons of a layer for N images. A layer's uncertainty is the
    mean over its neurons. It is on the squared scale of the activations: compare networks of one
    architecture only. Of a single image it is 0.

    Source: arXiv 2101.09617, as its authors' platform describes it; the formula as printed there
        was not at hand.

    Raises:
        ValueError: there is no image or neuron, or a value is NaN or infinite.
    """
    check_table("values", values, "(N, U)")
    check_finite(values=values)
    variance: NDArray[np.float64] = np.var(values, axis=0, dtype=np.float64)
    return variance
