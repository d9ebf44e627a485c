"""Published rows by model and condition, as recomputations need them."""

from collections.abc import Iterable

from robusteval.published._row import Row

Index = dict[tuple[str, str, str, str], Row]
SAME = {"alexnet_robustbench": "AlexNet"}
"""Models whose errors were computed from the accuracies of one of another name."""


def index(rows: Iterable[Row]) -> Index:
    """Return rows by (what, model, test, condition); of several, from other sources, the first."""
    found: Index = {}
    for row in rows:
        found.setdefault((row.what, row.model, row.test, row.condition), row)
    return found


def parts(table: Index, what: str, model: str, test: str, corruption: str) -> list[Row]:
    """Return what was published of a corruption: values at all five severities, or their mean.

    An empty list says that neither was.
    """
    name = SAME.get(model, model)
    severities = [table.get((what, name, test, f"{corruption} {s}")) for s in range(1, 6)]
    if rows := [row for row in severities if row]:
        return rows if len(rows) == len(severities) else []
    mean = table.get((what, name, test, corruption))
    return [mean] if mean else []


def mean_percent(rows: list[Row]) -> float:
    """Return the mean of rows in percent."""
    return sum(row.percent for row in rows) / len(rows)


def mean_rounding(rows: list[Row]) -> float:
    """Return what rounding can have taken from the mean of rows, in percent."""
    return sum(row.rounding for row in rows) / len(rows)


def models_of(rows: Iterable[Row], what: str, test: str) -> list[str]:
    """Return the models that have a value of the quantity ``what`` on ``test``, in order."""
    return list(dict.fromkeys(r.model for r in rows if (r.what, r.test) == (what, test)))
