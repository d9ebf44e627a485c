"""The same number of the same weights from two sources: how far public pipelines are apart."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from robusteval.published._comparison import Comparison
from robusteval.published._row import Row
from robusteval.published.compare import compare
from robusteval.published.measured import Measured
from robusteval.published.names import same_weights


def two_sources(rows: Sequence[Row], *, folder: str | Path) -> list[Comparison]:
    """Return, where several sources have a number, each of them beside the most exact one.

    That is the one of the most images, then of the most digits; ``names.csv`` says which names
    mean the same weights.
    """
    same = same_weights(folder)
    groups: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        model = same.get(row.model, row.model)
        groups[row.what, model, row.test, row.condition].append(row)
    compared = []
    for (_, model, *_), group in groups.items():
        if len({row.source for row in group}) > 1:
            best = min(group, key=lambda row: (-(row.n or 0), row.half_digit))
            compared += [_beside(best, row, model) for row in group if row.source != best.source]
    return compared


def _beside(best: Row, row: Row, model: str) -> Comparison:
    measured = Measured(
        row.what,
        model,
        row.test,
        row.condition,
        best.percent,
        best.n,
        rounding=best.half_digit,
        preprocessing=best.preprocessing,
    )
    return compare(measured, row)
