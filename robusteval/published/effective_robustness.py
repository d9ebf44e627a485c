"""Effective robustness: what a model does on shifted images beyond what its accuracy foretells.

Taori et al. 2020, arXiv 2007.00644: over many models, accuracy on shifted images follows accuracy
on the original ones along a line, after both went through the logit function.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """logit(shifted) = intercept + slope logit(base), with R^2, over ``n`` models."""

    slope: float
    intercept: float
    r2: float
    n: int


def logit(share: Floats) -> Floats:
    """Return ln(p / (1 - p)) of shares (N,) in [0, 1]; infinite at both ends."""
    with np.errstate(divide="ignore"):
        odds: Floats = np.log(share) - np.log1p(-share)
    return odds


def fitted_line(base: Floats, shifted: Floats) -> Line:
    """Return the least-squares line through the logits of accuracies (N,), shares in [0, 1].

    Models at 0 or 1, or without a value on one of the sets, have no logit and are left out.

    Raises:
        ValueError: fewer than three models are left, or all have the same base accuracy.
    """
    x, y = logit(np.asarray(base, float)), logit(np.asarray(shifted, float))
    usable = np.isfinite(x) & np.isfinite(y)
    x, y = x[usable], y[usable]
    if len(x) < 3:
        raise ValueError(f"{len(x)} models with both accuracies; at least 3 expected")
    if np.ptp(x) == 0:
        raise ValueError("all models have the same accuracy; different ones expected")
    slope, intercept = np.polyfit(x, y, 1)
    left = np.square(y - intercept - slope * x).sum()
    spread = np.square(y - y.mean()).sum()
    return Line(float(slope), float(intercept), float(1 - left / spread) if spread else 1.0, len(x))


def foretold(line: Line, base: Floats) -> Floats:
    """Return the accuracy on shifted images (N,) that the line foretells, a share in [0, 1]."""
    x = line.intercept + line.slope * logit(np.asarray(base, float))
    accuracy: Floats = 1 / (1 + np.exp(-x))
    return accuracy


def effective_robustness(line: Line, base: Floats, shifted: Floats) -> Floats:
    """Return accuracies (N,) on shifted images above what the line foretells, in [-1, 1]."""
    return np.asarray(shifted, float) - foretold(line, base)
