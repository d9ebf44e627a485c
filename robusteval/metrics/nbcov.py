"""NBCov: which share of the ends of the neurons' ranges an image set goes beyond."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._shares import share


def nbcov(above: NDArray[np.bool_], below: NDArray[np.bool_]) -> float:
    """Return the neuron boundary coverage, in [0, 1].

    ``(|UCN| + |LCN|) / (2 |U|)``: ``above`` (U,) says which neurons have a value above the largest,
    ``below`` (U,) which have one below the smallest over the training images. A neuron counts
    twice if it has both. It is a property of the images, and no measure of robustness.

    Source: Ma et al., "DeepGauge", ASE 2018, arXiv 1803.07519, section 3.

    Raises:
        ValueError: there is no neuron, the shapes differ, or an array is not boolean.
    """
    return share(above=above, below=below)
