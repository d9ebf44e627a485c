"""TKNPat: how many patterns of largest neurons an image set has."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._shares import check_table


def tknpat(patterns: NDArray[np.integer[Any]]) -> int:
    """Return the number of different rows of ``patterns`` (N, M), the top-k neuron patterns.

    A row stands for the k largest neurons of every layer for one image: their numbers, or a hash
    of them. The count grows with the number of images: compare sets of the same size.

    Source: Ma et al., "DeepGauge", ASE 2018, arXiv 1803.07519, section 3.

    Raises:
        ValueError: there is no pattern.
    """
    check_table("patterns", patterns, "(N, M)")
    return len(np.unique(patterns, axis=0))
