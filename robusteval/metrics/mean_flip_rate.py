"""Mean over perturbations of the flip probability as a share of a baseline model's: mFR."""

from collections.abc import Mapping

import numpy as np

from robusteval.metrics.flip_rate import flip_rate


def mean_flip_rate(probability: Mapping[str, float], baseline: Mapping[str, float]) -> float:
    """Return mFR, the unweighted mean of the flip rates, as a fraction; lower is better.

    Both mappings go from a perturbation's name to its flip probability, in the same unit. The
    published mFR is over the ten perturbations of ImageNet-P (Hendrycks & Dietterich 2019, section
    4.4); here it is over those given.

    Raises:
        ValueError: the names differ, there are none, a value is missing (NaN) or negative, or the
            baseline model never flips under one of them.
    """
    return float(np.mean(list(flip_rate(probability, baseline).values()), dtype=np.float64))
