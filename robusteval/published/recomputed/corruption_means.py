"""Mean accuracy, corruption error, mCE and relative mCE from published accuracies by corruption."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from robusteval.corruptions._parts import EXTRA, FIFTEEN
from robusteval.metrics.mean_corruption_error import mean_corruption_error
from robusteval.metrics.relative_mean_corruption_error import relative_mean_corruption_error
from robusteval.published._comparison import EXPLAINED, PASS, ROUNDING, Comparison, to_the_digit
from robusteval.published._row import Row
from robusteval.published.recomputed._tables import (
    Index,
    index,
    mean_percent,
    mean_rounding,
    parts,
)

BASELINE = ", baseline "
PARTS: Mapping[str, Sequence[str]] = {"fifteen": FIFTEEN, "extra": EXTRA}
INPUTS = "and the same of the accuracies that it is computed from"
CLEAN = {"imagenet_c": "imagenet_validation", "cifar10_c": "cifar10_test"}
RATIOS = ("corruption_error", "mce", "relative_mce")
# Four means of these entries, and of no others, are what cutting off after the second digit gives,
# where rounding would give a hundredth more.
CUT = "Diffenderfer2021Winning"
CUT_WHY = "its authors cut the digits off instead of rounding"


def corruption_means(rows: Sequence[Row]) -> list[Comparison]:
    """Return each published mean over corruptions beside the one computed from its parts.

    A part is an accuracy by corruption, or by corruption and severity. A mean whose parts were not
    published is left out.
    """
    table = index(rows)
    return [c for row in rows if row.test.endswith("_c") for c in _compared(row, table)]


def _compared(row: Row, table: Index) -> Iterator[Comparison]:
    of, _, baseline = row.condition.partition(BASELINE)
    corruptions = PARTS.get(of, (of,))
    if row.what == "accuracy" and of in PARTS:
        own = [parts(table, "accuracy", row.model, row.test, c) for c in corruptions]
        if all(own):
            slack = sum(map(mean_rounding, own)) / len(own)
            ours = sum(map(mean_percent, own)) / len(own)
            yield _cut(to_the_digit(ours, row, slack=slack, reason=INPUTS), row)
    elif row.what == "error" and of and " " not in of:
        yield from _mean_error(row, table)
    elif row.what in RATIOS and baseline:
        yield from _ratio(row, table, corruptions, baseline)


def _cut(compared: Comparison, row: Row) -> Comparison:
    """Return a comparison, explained if the value was cut off by the authors who do so."""
    step = 2 * row.half_digit
    cut = math.floor(compared.ours / step + ROUNDING) * step
    if compared.verdict == PASS or CUT not in row.model or abs(cut - row.percent) > ROUNDING:
        return compared
    return replace(compared, tolerance=step, reason=CUT_WHY, verdict=EXPLAINED)


def _mean_error(row: Row, table: Index) -> Iterator[Comparison]:
    """Yield a mean error over the severities, from errors or accuracies at each."""
    for what in ("error", "accuracy"):
        own = parts(table, what, row.model, row.test, row.condition)
        if len(own) > 1:
            value = mean_percent(own)
            ours = value if what == "error" else 100 - value
            yield to_the_digit(ours, row, slack=mean_rounding(own), reason=INPUTS)


def _ratio(
    row: Row, table: Index, corruptions: Sequence[str], baseline: str
) -> Iterator[Comparison]:
    """Yield CE, mCE or relative mCE against a published baseline."""
    own = {c: parts(table, "accuracy", row.model, row.test, c) for c in corruptions}
    base = {c: table.get(("error", baseline, row.test, c)) for c in corruptions}
    if not all(own.values()) or not all(base.values()):
        return
    errors = {c: np.array([1 - mean_percent(own[c]) / 100]) for c in corruptions}
    theirs = {c: np.array([b.percent / 100]) for c, b in base.items() if b}
    slack = [mean_rounding(own[c]) / float(theirs[c][0]) for c in corruptions]
    if row.what == "relative_mce":
        clean = table.get(("accuracy", row.model, CLEAN[row.test], ""))
        reference = table.get(("error", baseline, CLEAN[row.test], ""))
        if clean is None or reference is None:
            return
        before = 1 - clean.percent / 100, reference.percent / 100
        ours = relative_mean_corruption_error(errors, before[0], theirs, before[1])
    else:
        ours = mean_corruption_error(errors, theirs)
    yield to_the_digit(100 * ours, row, slack=sum(slack) / len(slack), reason=INPUTS)
