"""Holding measured numbers against published ones: PASS, EXPLAINED or FAIL, and why."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from robusteval.published._causes import cause_of
from robusteval.published._comparison import EXPLAINED, FAIL, PASS, ROUNDING, Comparison
from robusteval.published._row import Row
from robusteval.published._tolerance import Part, pipeline, sampling
from robusteval.published.measured import Measured
from robusteval.published.names import meant

ATTACK = ", autoattack"
HUNDRED = 0.02  # how near to 100 a ratio must be to look like a fraction against a percentage


def compare_all(
    measured: Sequence[Measured],
    rows: Iterable[Row],
    names: Mapping[str, Sequence[str]],
    same: Mapping[str, str],
) -> list[Comparison]:
    """Return every measured number beside each published one of the same thing.

    ``names`` says under which names the weights of a model may be published, ``same`` which
    published names mean the same weights.
    """
    published: defaultdict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        published[row.what, row.test, row.condition].append(row)
    compared = []
    for ours in measured:
        own = meant(names.get(ours.model, [ours.model]), same)
        conditions = [ours.condition]
        if ours.what == "robust_accuracy":
            conditions.append(f"{ours.condition}{ATTACK}")
        for condition in conditions:
            found = published[ours.what, ours.test, condition]
            theirs = [row for row in found if row.model in own]
            compared += [compare(ours, row) for row in _nearest(ours, theirs)]
    return compared


def _nearest(ours: Measured, rows: Sequence[Row]) -> list[Row]:
    """Return rows without those of a source that saw the images otherwise, if it also saw ours so.

    A table with a model at several sizes says one thing about the size that was measured here.
    """
    same = {(r.source, r.model) for r in rows if r.preprocessing == ours.preprocessing}
    return [
        r for r in rows if r.preprocessing == ours.preprocessing or (r.source, r.model) not in same
    ]


def compare(ours: Measured, row: Row) -> Comparison:
    """Return what to think of a measured number beside a published one.

    PASS within the tolerance, which is the rounding of both, the sampling interval where the
    images are not the same, and what public pipelines differ by; EXPLAINED if a known cause can
    have moved it further; else FAIL.
    """
    parts = [Part(row.half_digit + ours.rounding, "rounding"), _sampling(ours, row)]
    parts = [part for part in [*parts, pipeline(row.test)] if part.size]
    tolerance = sum(part.size for part in parts)
    verdict, reason = PASS, "; ".join(part.reason for part in parts)
    if abs(ours.percent - row.percent) > tolerance + ROUNDING:
        cause = cause_of(ours, row, tolerance)
        verdict = EXPLAINED if cause else FAIL
        reason = cause.text if cause else f"no known cause beyond: {reason}"
        if not cause and _hundredfold(ours.percent, row.percent):
            reason = "a hundred times apart: a fraction against a percentage?"
    said = row.what, ours.model, row.test, row.condition, ours.percent, row.percent
    return Comparison(*said, tolerance, reason, verdict, f"{row.model}, {row.source}")


def _sampling(ours: Measured, row: Row) -> Part:
    """Return the sampling interval, from our own one where a formula for a share does not hold."""
    part = sampling(row.what, row.test, ours.percent, (ours.n, row.n))
    if part.size or ours.low is None or ours.high is None or ours.n == row.n:
        return part
    half = max(ours.percent - ours.low, ours.high - ours.percent)
    return Part(half, f"95% interval over {ours.n:,} images" if ours.n else "95% interval")


def _hundredfold(ours: float, theirs: float) -> bool:
    small, large = sorted((abs(ours), abs(theirs)))
    return small > 0 and abs(large / small / 100 - 1) < HUNDRED
