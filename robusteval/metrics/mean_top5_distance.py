"""Mean over perturbations of the top-5 distance as a share of a baseline model's: mT5D."""

from collections.abc import Mapping

import numpy as np

from robusteval.metrics._ratios import ratios


def mean_top5_distance(distance: Mapping[str, float], baseline: Mapping[str, float]) -> float:
    """Return mT5D, the unweighted mean of the top-5 distance ratios, as a fraction; lower is
    better.

    Both mappings go from a perturbation's name to its top-5 distance (Hendrycks & Dietterich 2019,
    section 4.4).

    Raises:
        ValueError: the names differ, there are none, a value is missing (NaN) or negative, or the
            baseline model's classes never move under one of them.
    """
    return float(np.mean(list(ratios(distance, baseline, "top-5 distance").values())))
