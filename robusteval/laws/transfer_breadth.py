"""How widely the images made against each model transfer: row means of a transfer matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Breadth:
    """Means (N,) over other models, of each source; NaN where there is no such model.

    ``others`` over all of them, ``own_family`` over those of the source's family, ``foreign`` over
    the rest. The white-box diagonal is in none.
    """

    others: NDArray[np.float64]
    own_family: NDArray[np.float64]
    foreign: NDArray[np.float64]


def transfer_breadth(rates: NDArray[np.float64], family: Sequence[str]) -> Breadth:
    """Return the row means of ``rates`` (N, N), sources x targets in the same order.

    A mean over targets of which one is NaN is NaN: a source is not measured by its easy targets.

    Raises:
        ValueError: ``rates`` is not square or has another length than ``family``.
    """
    if rates.shape != (len(family), len(family)):
        raise ValueError(
            f"rates {rates.shape}, {len(family)} families: expected (N, N) and N in one order"
        )
    same = np.array([[a == b for b in family] for a in family], np.bool_).reshape(rates.shape)
    other = ~np.eye(len(family), dtype=np.bool_)
    return Breadth(_means(rates, other), _means(rates, other & same), _means(rates, other & ~same))


def _means(rates: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    n = chosen.sum(1)
    total = np.where(chosen, rates, 0).sum(1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
