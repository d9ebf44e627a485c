"""The largest value that maxima point to: the location of a reverse Weibull distribution.

Minus the maxima follow a Weibull distribution of minima, whose location is minus their upper limit.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

OK = "ok"
FAILED = "fit failed"  # no fit describes the maxima; the largest of them stands in
CONSTANT = "constant"  # the maxima do not vary; the largest of them is the limit

SHAPES = (0.1, 1.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # where the released code's searches begin
PENALTY = 0.01
LEAST_P = 0.001
ROUNDING = 1e-6  # relative; gradient norms are sums in float32


@dataclass(frozen=True)
class Fit:
    """What was made of maxima.

    ``limit`` is the estimate of the largest value, never below the largest maximum. ``shape``,
    ``location`` (which is ``limit``) and ``scale`` are of the reverse Weibull distribution, ``p``
    is of a Kolmogorov-Smirnov test of it; all four are NaN where ``status`` is not "ok".
    """

    limit: float
    shape: float = math.nan
    location: float = math.nan
    scale: float = math.nan
    p: float = math.nan
    status: str = OK


def fitted(maxima: NDArray[np.float64], *, method: str) -> Fit:
    """Return the fit of ``maxima`` (B,), finite and at least 0, as a ``method`` makes it.

    "released": maxima are brought to [0, 1]; of searches from seven shapes the one with the largest
    p of a Kolmogorov-Smirnov test is taken, if that is at least 0.001. To the likelihood is added
    0.01 times the square of the *scale*: the released code means to hold down the shape but takes
    the third parameter, which is the scale (in units of the range of the maxima).

    "art": one search from shape 1 over the maxima as they are; taken whatever its p.

    A search may end at a location that lies below the largest maximum, which contradicts it. That
    counts as a failure here, while ART takes it; it happens where many batches share a maximum.

    Source: github.com/huanzhang12/CLEVER, clever.py; adversarial-robustness-toolbox, art.metrics.
    """
    top, low = float(maxima.max()), float(maxima.min())
    if top - low <= ROUNDING * top:
        return Fit(top, status=CONSTANT)
    if method == "art":
        best = _search(-maxima, 1.0, _simplex)
        return Fit(top, status=FAILED) if best is None else _back(best, 0.0, 1.0, top)
    scaled = (top - maxima) / (top - low)
    found = [fit for shape in SHAPES if (fit := _search(scaled, shape, _penalised)) is not None]
    best = max(found, key=lambda fit: fit[-1], default=None)
    if best is None or best[-1] < LEAST_P:
        return Fit(top, status=FAILED)
    return _back(best, -top, top - low, top)


def _back(fit: tuple[float, ...], shift: float, factor: float, top: float) -> Fit:
    """Return a fit of scaled minima in the units of the maxima."""
    shape, location, scale, p = fit
    limit = -(shift + location * factor)
    if limit < top:  # a location above the smallest minimum: no Weibull distribution has it
        return Fit(top, status=FAILED)
    return Fit(limit, shape, limit, scale * factor, p)


def _search(
    minima: NDArray[np.float64], shape: float, optimizer: Callable[..., Any]
) -> tuple[float, ...] | None:
    """Return shape, location, scale and p of the search from ``shape``, or None if it failed."""
    from scipy.stats import FitError, kstest, weibull_min

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of parameters that the search tries and leaves again
        try:
            found = weibull_min.fit(minima, shape, optimizer=optimizer)
            p = kstest(minima, "weibull_min", args=found).pvalue
        except (FitError, ValueError, OverflowError):
            return None
    values = (*map(float, found), float(p))
    return values if all(map(math.isfinite, values)) else None


def _simplex(
    function: Callable[..., float], start: Any, args: tuple[Any, ...] = (), disp: int = 0
) -> Any:
    """Return the minimum that the Nelder-Mead method finds."""
    from scipy.optimize import fmin

    return fmin(function, start, args=args, disp=disp)


def _penalised(
    function: Callable[..., float], start: Any, args: tuple[Any, ...] = (), disp: int = 0
) -> Any:
    """Return the minimum of ``function`` and the penalty on the scale, third of the parameters."""
    return _simplex(
        lambda theta, x: function(theta, x) + PENALTY * theta[2] ** 2, start, args, disp
    )
