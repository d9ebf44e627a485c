"""TKNCov: which share of the neurons is once among the largest of its layer."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._shares import share


def tkncov(top: NDArray[np.bool_]) -> float:
    """Return the top-k neuron coverage ``|union_x union_layers top_k(x, layer)| / |U|``, in [0, 1].

    ``top`` (U,) says which neurons are for some image among the k largest of their layer. It is a
    property of the images, and no measure of robustness.

    Source: Ma et al., "DeepGauge", ASE 2018, arXiv 1803.07519, section 3.

    Raises:
        ValueError: there is no neuron, or the array is not boolean.
    """
    return share(top=top)
