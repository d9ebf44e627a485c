"""SNACov: which share of the neurons an image set drives above their ranges."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._shares import share


def snacov(above: NDArray[np.bool_]) -> float:
    """Return the strong neuron activation coverage ``|UCN| / |U|``, in [0, 1].

    ``above`` (U,) says which neurons have a value above the largest over the training images. It
    is a property of the images, and no measure of robustness.

    Source: Ma et al., "DeepGauge", ASE 2018, arXiv 1803.07519, section 3.

    Raises:
        ValueError: there is no neuron, or the array is not boolean.
    """
    return share(above=above)
