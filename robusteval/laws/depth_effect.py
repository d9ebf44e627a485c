"""Whether the deeper of two models of one family has the larger number."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robusteval.laws._checks import check_models


@dataclass(frozen=True)
class DepthEffect:
    """What was seen in one family.

    Attributes:
        pairs: pairs of models of the family that differ in depth.
        larger: how many of them have the larger value in the deeper model.
        ratio: value of the deepest by that of the shallowest, means where several share a depth.
    """

    pairs: int
    larger: int
    ratio: float


def depth_effect(
    value: NDArray[np.float64], depth: Sequence[int], family: Sequence[str]
) -> dict[str, DepthEffect]:
    """Return, for each family of at least two depths, how ``value`` (N,) goes with depth.

    Families have a handful of models: the counts say what was seen, not what is significant.

    Raises:
        ValueError: the shapes differ, or a value is NaN or infinite.
    """
    depths, families = np.asarray(depth), np.asarray(list(family), dtype=object)
    check_models(value=value, depth=depths, family=families)
    effects = {}
    for name in dict.fromkeys(family):
        own = families == name
        v, d = value[own], depths[own]
        if len(np.unique(d)) < 2:
            continue
        pairs = [(i, j) for i, j in itertools.permutations(range(len(v)), 2) if d[i] < d[j]]
        shallow, deep = float(v[d == d.min()].mean()), float(v[d == d.max()].mean())
        effects[name] = DepthEffect(
            len(pairs),
            sum(bool(v[j] > v[i]) for i, j in pairs),
            deep / shallow if shallow else float("nan"),
        )
    return effects
