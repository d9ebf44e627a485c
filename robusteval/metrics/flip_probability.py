"""Share of the frames of perturbation sequences whose predicted class is another than before."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._sequences import Reference, flips


def flip_probability(predictions: NDArray[np.integer[Any]], *, reference: Reference) -> float:
    """Return the flip probability FP, in [0, 1], of ``predictions`` (M, T); lower is better.

    ``FP = sum_i sum_{j >= 2} 1[f(x_j^i) != f(x_{j-1}^i)] / (M (T - 1))`` (Hendrycks & Dietterich
    2019, section 4.4), over M sequences of T frames. With ``reference`` "first", for noise, whose
    frames have no order, frame j is held against frame 1 instead. Labels play no part.

    Raises:
        ValueError: there is no sequence of at least two frames, or an unknown reference.
    """
    return float(np.mean(flips(predictions, reference=reference), dtype=np.float64))
