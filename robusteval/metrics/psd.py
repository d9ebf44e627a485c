"""PSD: how visible an attack's successes are where the eye is sensitive: in flat areas."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._pairs import mean_of_successes
from robusteval.metrics.sensitivity_distance import FLOOR, check_floor, visible


def psd(
    adversarial: NDArray[np.float32],
    clean: NDArray[np.float32],
    success: NDArray[np.bool_],
    *,
    floor: float = FLOOR,
) -> float:
    """Return the perturbation sensitivity distance, a mean over the n successes.

    ``1/n sum_i sum_j |x^a_ij - x_ij| / max(std(R_ij), floor)``, see `sensitivity_distance`.
    ``adversarial`` and ``clean`` are (N, C, H, W) in [0, 1], ``success`` (N,). Lower is less
    visible; NaN without success. Report n and the floor beside it.

    Source: Luo et al., AAAI 2018, arXiv 1801.04693; arXiv 2101.09617. Code of others has 1 - std
        or std for 1 / std; the latter makes noise on flat areas free.

    Raises:
        ValueError: as `sensitivity_distance`; or ``success`` is not boolean.
    """
    check_floor(floor)
    return mean_of_successes(adversarial, clean, success, partial(visible, floor=floor))
