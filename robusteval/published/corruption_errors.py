"""Published errors of a reference model under corruptions: the denominators of mCE."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from robusteval.corruptions._parts import part_of
from robusteval.published._row import Row
from robusteval.published.rows import read_rows

SEVERITIES = 5  # published errors are means over this many


@dataclass(frozen=True)
class CorruptionErrors:
    """What was published about one model.

    ``errors`` maps a corruption to its top-1 error in [0, 1], the mean over the five severities
    of ``release``; ``part`` maps it to "fifteen" or "extra"; ``clean`` is the error on clean
    images; ``source`` names each place that a number was read from.
    """

    name: str
    release: str
    clean: float
    errors: Mapping[str, float]
    part: Mapping[str, str]
    source: str


def corruption_errors(path: str | Path, name: str) -> CorruptionErrors:
    """Return the errors that the table of published numbers ``path`` has for ``name``.

    Rows of the quantity ``error`` without a condition are on clean images, the others belong to
    corruptions by name, never by place: lists in different orders circulate. Errors at single
    severities ("fog 3") are left to others.

    Raises:
        ValueError: the name or the clean error is missing, there are two releases, an error is 0
            or more than 1, or the table is not in the one format.
    """
    rows = [row for row in read_rows(path) if row.what == "error"]
    names = list(dict.fromkeys(row.model for row in rows))
    if name not in names:
        raise ValueError(f"{path}: no published errors of {name!r}; there are {', '.join(names)}")
    own = [row for row in rows if row.model == name]
    clean = [row for row in own if not row.condition]
    corrupt = [row for row in own if row.condition and " " not in row.condition]
    releases = sorted({row.test for row in corrupt})
    if len(clean) != 1 or len(releases) != 1:
        raise ValueError(
            f"{path}: {name}: {len(clean)} clean errors and the releases {releases}; one of each "
            f"expected"
        )
    values = {row.condition: _error(row) for row in corrupt}
    if len(values) < len(corrupt):
        raise ValueError(f"{path}: {name}: a corruption stands there twice; keep one row")
    return CorruptionErrors(
        name,
        releases[0],
        _error(clean[0]),
        values,
        {corruption: part_of(corruption, releases[0]) for corruption in values},
        "; ".join(dict.fromkeys(row.source for row in own)),
    )


def _error(row: Row) -> float:
    """Return an error in [0, 1]; a fraction as it is printed, without a digit of its own."""
    error = row.value if row.unit == "fraction" else row.percent / 100
    if not 0 < error <= 1:
        raise ValueError(
            f"{row.place}: {row.model}: {row.condition or row.test}: error {row.printed}; above 0 "
            f"expected, nothing can be divided by it"
        )
    return error
