"""NC: which share of the neurons an image set activates."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._shares import share


def nc(active: NDArray[np.bool_]) -> float:
    """Return the neuron coverage ``|{u : some x with phi(x, u) > t}| / |U|``, in [0, 1].

    ``active`` (U,) says which neurons are above the threshold t for some image. It is a property of
    the images, and no measure of robustness.

    Source: Pei et al., "DeepXplore", SOSP 2017, arXiv 1705.06640, whose values are
        brought to [0, 1] over the layer, image by image.

    Raises:
        ValueError: there is no neuron, or the array is not boolean.
    """
    return share(active=active)
