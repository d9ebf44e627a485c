"""Published errors of a reference model under corruptions: the denominators of mCE."""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ("name", "release", "corruption", "part", "value", "source")
PARTS = ("clean", "fifteen", "extra")
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
    """Return the errors that the CSV file ``path`` has for ``name``.

    The file has the columns ``name, release, corruption, part, value, source`` and any others.
    Errors belong to corruptions by name, never by place: lists in different orders circulate.

    Raises:
        ValueError: the name, a column or the clean error is missing, a corruption stands there
            twice, or a value is no error between 0 and 1.
    """
    with Path(path).open(newline="") as file:
        reader = csv.DictReader(file)
        if missing := [c for c in COLUMNS if c not in (reader.fieldnames or ())]:
            raise ValueError(f"{path}: columns {missing} are missing; {list(COLUMNS)} expected")
        rows = list(reader)
    names = list(dict.fromkeys(row["name"] for row in rows))
    if name not in names:
        raise ValueError(f"{path}: no published errors of {name!r}; there are {', '.join(names)}")
    own = [row for row in rows if row["name"] == name]
    values: dict[str, float] = {}
    for row in own:
        corruption = row["corruption"]
        if corruption in values:
            raise ValueError(f"{path}: {name}: {corruption} stands there twice; keep one row")
        if row["part"] not in PARTS:
            raise ValueError(
                f"{path}: {name}: {corruption}: part {row['part']!r}; {', '.join(PARTS)} expected"
            )
        values[corruption] = _error(row["value"], f"{path}: {name}: {corruption}")
    clean = [row["corruption"] for row in own if row["part"] == "clean"]
    releases = {row["release"] for row in own}
    if len(clean) != 1 or len(releases) != 1:
        raise ValueError(
            f"{path}: {name}: {len(clean)} clean errors and the releases {sorted(releases)}; "
            f"one of each expected"
        )
    return CorruptionErrors(
        name,
        releases.pop(),
        values.pop(clean[0]),
        values,
        {row["corruption"]: row["part"] for row in own if row["part"] != "clean"},
        "; ".join(dict.fromkeys(row["source"] for row in own)),
    )


def _error(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise ValueError(f"{where}: value {text!r}; an error above 0, at most 1, expected")
    return value
