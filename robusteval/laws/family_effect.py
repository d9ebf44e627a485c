"""How much of the difference between models is a difference between families."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robusteval.laws._checks import check_models


@dataclass(frozen=True)
class FamilyEffect:
    """What families have to do with a number.

    Attributes:
        between: share of the variance that lies between families (eta squared).
        adjusted: the same freed of what as many random families would explain (epsilon squared);
            NaN if every family has one model.
        means: mean by family, in the order of the models.
    """

    between: float
    adjusted: float
    means: dict[str, float]


def family_effect(value: NDArray[np.float64], family: Sequence[str]) -> FamilyEffect:
    """Return how the families of models differ in ``value`` (N,), one a model.

    Give the residuals of a law to see what a family adds to it.

    Raises:
        ValueError: the shapes differ, or a value is NaN or infinite.
    """
    families = np.asarray(list(family), dtype=object)
    check_models(value=value, family=families)
    means = {name: float(value[families == name].mean()) for name in dict.fromkeys(family)}
    own = np.array([means[name] for name in family])
    within, total = float(np.sum((value - own) ** 2)), float(np.sum((value - value.mean()) ** 2))
    n, k = len(value), len(means)
    if len(set(value.tolist())) < 2:
        return FamilyEffect(math.nan, math.nan, means)
    adjusted = 1 - (within / (n - k)) / (total / (n - 1)) if n > k else math.nan
    return FamilyEffect(1 - within / total, adjusted, means)
