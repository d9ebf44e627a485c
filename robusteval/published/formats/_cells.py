"""Reading the cells of result files, with errors that say which."""

import csv
from collections.abc import Sequence
from pathlib import Path

from robusteval.published._row import About

Lines = list[tuple[str, dict[str, str]]]
"""Place and cells by column, line by line."""


def lines_of(path: str | Path, needed: Sequence[str]) -> Lines:
    """Return the lines of a CSV file that has the columns ``needed``.

    Raises:
        ValueError: a column is missing; the message says which there are.
    """
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        found = list(reader.fieldnames or ())
        if missing := [c for c in needed if c not in found]:
            raise ValueError(f"{path}: columns {missing} are missing; there are {found}")
        return [(f"{path}, row {number}", cells) for number, cells in enumerate(reader, 2)]


def named_test(path: str | Path, about: About, example: str) -> str:
    """Return the test that ``about`` names, which the file does not say.

    Raises:
        ValueError: it names none.
    """
    if not about.test:
        raise ValueError(f"{path}: test is empty; say whose results these are, as {example}")
    return about.test


def number(text: str, *, decimals: int = 0) -> str:
    """Return a printed number without thousands' commas, with at least ``decimals`` of them.

    Files written by programs drop trailing zeros, 80.0 for 80.00: ``decimals`` puts back those
    that the number of images gives.
    """
    text = text.strip().replace(",", "").lstrip("+")
    missing = decimals - len(text.partition(".")[2])
    if not text or missing <= 0:
        return text
    return f"{text}{'' if '.' in text else '.'}{'0' * missing}"


def preprocessing(size: str, crop: str, interpolation: str) -> str:
    """Return in one wording how images were brought to a model."""
    return f"{int(size)} px, crop {float(crop):g}, {interpolation}"
