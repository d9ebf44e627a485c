"""timm's rank differences from its accuracies."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path

from robusteval.published._comparison import FAIL, PASS, Comparison
from robusteval.published._row import Row
from robusteval.published.recomputed._timm import BASE, SOURCE, entries

Ranks = tuple[int, int]
"""The first and the last rank that a model can have; they differ for models that tie."""


def timm_ranks(rows: Sequence[Row], *, folder: str | Path) -> list[Comparison]:
    """Return for each set the model whose printed rank difference is furthest from our ranks'.

    Rank by accuracy on the images that a set is compared with, minus rank on the set. Models of
    the same accuracy have no order in what is kept here, so their difference is an interval; the
    printed one must lie in it, and for models that tie with none it must be the difference itself.
    """
    compared = []
    for test in BASE:
        known = entries(folder, test)
        base = ranks([float(e.base) for e in known if e.base])
        own = ranks([float(e.shifted) for e in known if e.shifted])
        found = []
        for e in known:
            if e.rank_difference:
                low, high = difference(base[float(e.base)], own[float(e.shifted)])
                theirs = int(e.rank_difference)
                found.append((min(max(theirs, low), high), theirs, high - low, e.name))
        if found:
            ours, theirs, width, name = max(found, key=lambda f: (abs(f[0] - f[1]), f[2]))
            ties = sum(f[2] > 0 for f in found)
            model = f"{name}, furthest of {len(found)}, {ties} with ties"
            verdict = PASS if ours == theirs else FAIL
            where = "rank_difference", model, test, f"against {BASE[test]}"
            why = f"none, and the order among models that tie ({width} ranks here)"
            compared.append(Comparison(*where, ours, theirs, 0.0, why, verdict, SOURCE))
    return compared


def ranks(accuracies: Sequence[float]) -> dict[float, Ranks]:
    """Return the first and last rank, from 0 for the highest, of each accuracy."""
    ascending = sorted(-a for a in accuracies)
    return {-a: (bisect_left(ascending, a), bisect_right(ascending, a) - 1) for a in ascending}


def difference(base: Ranks, own: Ranks) -> Ranks:
    """Return the least and the greatest difference base - own."""
    return base[0] - own[1], base[1] - own[0]
