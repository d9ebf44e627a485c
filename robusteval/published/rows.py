"""Tables of published numbers in the project's one format: reading, writing, a folder of them."""

import csv
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path

from robusteval import plugins
from robusteval.files import replacing
from robusteval.published._checks import check_rows
from robusteval.published._row import COLUMNS, About, Row

IMPORTED = "tables"
"""The folder beside the tables with result files as others published them."""
LIST = "sources.csv"
"""What is in it: file, format, and what a file does not say of itself."""


def read_rows(path: str | Path) -> list[Row]:
    """Return the published numbers in a CSV file with the columns of ``COLUMNS``.

    A column ``note`` may follow; a line that starts with # is a remark.

    Raises:
        ValueError: a column is missing or unknown, or a row is not as ``check_rows`` wants it; one
            line that names the file, the line and what is wrong.
    """
    rows = []
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        _check_columns(path, reader.fieldnames or ())
        for number, cells in enumerate(reader, 2):
            place = f"{path}, row {number}"
            if cells["model"].startswith("#"):
                continue
            if None in cells or None in cells.values():
                raise ValueError(
                    f"{place}: not as many cells as columns ({len(COLUMNS)}); put quotation marks "
                    f"around a text that has a comma in it"
                )
            said = {key: text.strip() for key, text in cells.items()}
            said["printed"] = said.pop("value")
            count = _count(said.pop("n"), place)
            rows.append(Row(**said, n=count, place=place))
    check_rows(rows)
    return rows


def write_rows(path: str | Path, rows: Iterable[Row]) -> None:
    """Write published numbers in the one format, whole or not at all."""
    with replacing(path) as temporary, temporary.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, "note"])
        names = ["printed" if c == "value" else c for c in (*COLUMNS, "note")]
        for row in rows:
            cells = [getattr(row, name) for name in names]
            writer.writerow(["" if cell is None else cell for cell in cells])


def read_folder(folder: str | Path) -> list[Row]:
    """Return the published numbers of all tables in a folder, and of the files in its ``tables``.

    Raises:
        ValueError: as ``read_rows``, or a file is listed in ``tables/sources.csv`` but not there.
    """
    own = [row for path in sorted(Path(folder).glob("*.csv")) for row in read_rows(path)]
    return own + read_imported(Path(folder) / IMPORTED)


def read_imported(folder: str | Path) -> list[Row]:
    """Return the published numbers of the result files that ``sources.csv`` of a folder lists."""
    listing = Path(folder) / LIST
    if not listing.is_file():
        return []
    rows = []
    for entry in sources(listing):
        path = Path(folder) / entry["file"]
        if not path.is_file():
            raise ValueError(f"{listing}: {entry['file']} is listed but not there")
        rows += import_file(path, entry["format"], about(entry, listing))
    return rows


def import_file(path: str | Path, layout: str, what: About) -> list[Row]:
    """Return the rows of a result file in another ``layout``, a file of published/formats.

    Raises:
        ValueError: there is no such layout, or the file is not in it; the message says where.
    """
    rows: list[Row] = plugins.load("published.formats", layout)(path, what)
    check_rows(rows)
    return rows


def sources(listing: str | Path) -> list[dict[str, str]]:
    """Return the entries of a ``sources.csv``, each with all of its columns."""
    columns = {"file", "format", *(f.name for f in fields(About))}
    with Path(listing).open(newline="") as file:
        reader = csv.DictReader(file)
        if set(reader.fieldnames or ()) != columns:
            raise ValueError(
                f"{listing}: columns {sorted(columns)} expected, found {reader.fieldnames}"
            )
        return list(reader)


def about(entry: dict[str, str], listing: str | Path = LIST) -> About:
    """Return what an entry of ``sources.csv`` says of its file; empty cells say nothing."""
    said = {f.name: entry[f.name] for f in fields(About) if entry[f.name] and f.name != "n"}
    count = _count(entry["n"], f"{listing}: {entry['file']}")
    return replace(About(source="", licence=""), **said, n=count)


def _check_columns(path: str | Path, found: Iterable[str]) -> None:
    found = list(found)
    if missing := [c for c in COLUMNS if c not in found]:
        raise ValueError(f"{path}: columns {missing} are missing; {list(COLUMNS)} expected")
    if unknown := [c for c in found if c not in (*COLUMNS, "note")]:
        raise ValueError(f"{path}: unknown columns {unknown}; what does not fit goes into note")


def _count(text: str, place: str) -> int | None:
    if not text:
        return None
    if not text.isdigit() or int(text) == 0:
        raise ValueError(f"{place}: n {text!r}; a number of images expected, or nothing")
    return int(text)
