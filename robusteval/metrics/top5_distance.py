"""How far the five most likely classes move from frame to frame of perturbation sequences."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._sequences import Reference, moves


def top5_distance(top5: NDArray[np.integer[Any]], *, reference: Reference) -> float:
    """Return the mean top-5 distance T5D of ``top5`` (M, T, 5), in [0, 15]; lower is better.

    ``top5`` holds the five most likely classes of each frame, the most likely first. With s(k) the
    place in frame j of the class that is at place k in frame j - 1,
    ``d = sum_{k <= 5} |min(s(k), 6) - k|``: moves within the five places and out of them count,
    those beyond do not (Hendrycks & Dietterich 2019, section 4.4; top5 mode of ImageNet-P/test.py
    in hendrycks/robustness). With ``reference`` "first", for noise, frame 1 takes the place of
    frame j - 1. Where a model has K < 5 classes, ``top5`` is (M, T, K) and ranks all of them.

    Raises:
        ValueError: there is no sequence of at least two frames, ``top5`` has other than one to
            five places or a class twice in a frame, or an unknown reference.
    """
    return float(np.mean(moves(top5, reference=reference), dtype=np.float64))
