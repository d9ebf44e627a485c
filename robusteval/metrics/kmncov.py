"""KMNCov: which share of the sections of the neurons' ranges an image set hits."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks
from robusteval.metrics._shares import check_table


def kmncov(sections: NDArray[np.bool_], constant: NDArray[np.bool_]) -> float:
    """Return the k-multisection neuron coverage, in [0, 1].

    ``sum_u |{j : some x with phi(x, u) in S_j^u}| / (k |U|)``, where S_1^u to S_k^u cut the range
    that neuron u has over the training images into k equal sections. ``sections`` (U, k) says
    which are hit, ``constant`` (U,) which neurons have a range of one point; those have no
    sections and are left out of U. NaN if all are constant. It says how much of the normal range
    an image set exercises: a property of the images, and no measure of robustness.

    Source: Ma et al., "DeepGauge", ASE 2018, arXiv 1803.07519, section 3.

    Raises:
        ValueError: there is no neuron or section, the shapes differ, or an array is not boolean.
    """
    check_table("sections", sections, "(U, k)")
    check_masks(sections=sections, constant=constant)
    if constant.shape != sections.shape[:1]:
        raise ValueError(
            f"shapes sections {sections.shape}, constant {constant.shape}: expected (U, k) and (U,)"
        )
    if constant.all():
        return float("nan")
    return float(np.mean(sections[~constant], dtype=np.float64))
