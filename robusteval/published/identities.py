"""Relations between published numbers that hold whatever was measured."""

import math
from collections.abc import Sequence

import numpy as np


def fmr(standard_accuracy: float, perturbed_accuracy: float) -> float:
    """Return FMR = PA / SA in percent (arXiv 2308.10632), of two shares in the same unit.

    It is not bounded by 100. Without a standard accuracy it is not defined, and NaN.
    """
    if not standard_accuracy or math.isnan(perturbed_accuracy):
        return math.nan
    return 100 * perturbed_accuracy / standard_accuracy


def accuracy_variance(crr: float, csr: float) -> float:
    """Return CAV, defended minus undefended accuracy, as the images put right minus those spoilt.

    CRR is the share of images that only the defended model gets right, CSR that which only the
    undefended one does (DEEPSEC; arXiv 2101.09617).
    """
    return crr - csr


def scaling_law(error: Sequence[float], distortion: Sequence[float]) -> tuple[float, float, float]:
    """Return (a, b, R^2) of the least-squares fit distortion = a + b ln(error).

    The law of arXiv 1808.01688: models with smaller clean ``error``, in (0, 1], are fooled by
    smaller distortions.

    Raises:
        ValueError: fewer than three models, an error outside (0, 1], or all errors the same.
    """
    errors, sizes = np.asarray(error, float), np.asarray(distortion, float)
    if len(errors) < 3:
        raise ValueError(f"{len(errors)} models; at least 3 expected, a line fits any two")
    if not ((errors > 0) & (errors <= 1)).all():
        raise ValueError(
            f"errors {errors.min():g} to {errors.max():g}; above 0, at most 1 expected"
        )
    if np.ptp(errors) == 0:
        raise ValueError(f"all errors are {errors[0]:g}; different ones expected")
    b, a = np.polyfit(np.log(errors), sizes, 1)
    residual = sizes - (a + b * np.log(errors))
    spread = np.square(sizes - sizes.mean()).sum()
    return float(a), float(b), float(1 - np.square(residual).sum() / spread) if spread else 1.0
