"""Our number beside the published one, and what to think of the difference."""

from dataclasses import dataclass

from robusteval.published._row import Row

PASS, EXPLAINED, FAIL = "PASS", "EXPLAINED", "FAIL"
ROUNDING = 1e-9  # of float64, far below any printed digit


@dataclass(frozen=True)
class Comparison:
    """A published number and the one that was measured or computed here; shares in percent."""

    what: str
    model: str
    test: str
    condition: str
    ours: float
    theirs: float
    tolerance: float
    reason: str
    verdict: str
    source: str

    @property
    def difference(self) -> float:
        """Return ours minus theirs."""
        return self.ours - self.theirs


def to_the_digit(
    ours: float, row: Row, *, slack: float = 0.0, reason: str = "", model: str = ""
) -> Comparison:
    """Return the comparison of a recomputed value with a printed one: equal to the printed digit.

    ``slack`` is what the inputs, printed with few digits themselves, can have moved the result by,
    in the row's percent, and ``reason`` says so.
    """
    tolerance, why = row.half_digit, "half a printed digit"
    if abs(ours - row.percent) > tolerance + ROUNDING and slack:
        tolerance, why = tolerance + slack, f"{why}; {reason}"
    equal = abs(ours - row.percent) <= tolerance + ROUNDING
    return Comparison(
        row.what,
        model or row.model,
        row.test,
        row.condition,
        ours,
        row.percent,
        tolerance,
        why,
        PASS if equal else FAIL,
        row.source,
    )


def summary_line(comparisons: list[Comparison]) -> str:
    """Return in one line how many numbers were compared, and how it came out."""
    if not comparisons:
        return "no published number is of what was measured here"
    counts = {v: sum(c.verdict == v for c in comparisons) for v in (PASS, EXPLAINED, FAIL)}
    parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    line = f"{len(comparisons)} published numbers compared: {parts}"
    failed = [c for c in comparisons if c.verdict == FAIL]
    if failed:
        worst = max(failed, key=lambda c: abs(c.difference))
        where = ", ".join(filter(None, (worst.test, worst.condition)))
        line += (
            f"; furthest off: {worst.what} of {worst.model} on {where}, {worst.ours:.6g} against "
            f"{worst.theirs:.6g}"
        )
    return line
