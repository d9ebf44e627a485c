"""Hold a study's tables against published numbers: PASS, EXPLAINED or FAIL, and why."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from robusteval.published._checks import near_matches
from robusteval.published._comparison import Comparison, summary_line
from robusteval.published._row import Row
from robusteval.published.compare import compare_all
from robusteval.published.names import meant, names_of, same_weights
from robusteval.published.openood_groups import openood_groups
from robusteval.published.rows import IMPORTED, read_imported, read_rows
from workflow_scripts._measured import Tests, measured
from workflow_scripts._tables import write_table

log = logging.getLogger("job")

COLUMNS = ["model", "what", "test", "condition", "ours", "theirs", "difference"]
COLUMNS += ["tolerance", "verdict", "reason", "source"]
DIGITS = 4
Entries = Mapping[str, Mapping[str, Any]]


def compare_published(
    tables: list[str],
    folder: str,
    tests: Tests,
    images: str,
    models: Entries,
    views: Entries,
    output: str,
) -> str:
    """Write the comparison of a study's ``tables`` with the numbers in ``folder``; say how it went.

    ``tests``, ``models`` and ``views`` are entries of the catalogue by id, ``images`` the id of
    the study's images. Shares are in percent. A study of which nothing was published has a table
    without rows.
    """
    own = [row for path in sorted(Path(folder).glob("*.csv")) for row in read_rows(path)]
    imported = read_imported(Path(folder) / IMPORTED)
    same = same_weights(folder)
    names = {model: names_of(model, entry) for model, entry in models.items()}
    seen = {model: preprocessing(entry, views) for model, entry in models.items()}
    found = [replace(m, preprocessing=seen[m.model]) for m in measured(tables, tests, images)]
    found += openood_groups(found)
    compared = compare_all(found, [*own, *imported], names, same)
    for line in mistyped(own, names, {row.model for row in imported}, same):
        log.warning("%s", line)
    write_table(output, map(as_row, compared), COLUMNS)
    line = summary_line(compared)
    log.info("%s", line)
    return line


def preprocessing(entry: Mapping[str, Any], views: Entries) -> str:
    """Return how images are brought to a model, in published tables' words; "" if stored."""
    view = views.get(str(entry.get("view", "")), {})
    if "size" not in view:
        return ""
    return f"{view['size']} px, crop {view['crop_fraction']:g}, {view['interpolation']}"


def mistyped(
    own: Sequence[Row],
    names: Mapping[str, Sequence[str]],
    others: set[str],
    same: Mapping[str, str],
    *,
    measured: str = "this study",
) -> list[str]:
    """Return a line for each model of the tables that may be one that is ``measured``, misspelt.

    A name that another published file has, or whose digits are others, is thought to be right.
    """
    known = {name for several in names.values() for name in meant(several, same)}
    lines = []
    for row in {row.model: row for row in own}.values():
        if row.model in known | others | set(same):
            continue
        near = near_matches(row.model, known)
        near = [name for name in near if _digits(name) == _digits(row.model)]
        if near:
            lines.append(
                f"{row.place}: {row.model!r} is no model of {measured} and is not compared; did "
                f"you mean {' or '.join(near)}?"
            )
    return lines


def as_row(compared: Comparison) -> dict[str, Any]:
    """Return a comparison as a row of the table."""
    numbers = ("ours", "theirs", "difference", "tolerance")
    row = {key: getattr(compared, key) for key in COLUMNS}
    # Zero may come out as -0.0, which is another text.
    return row | {key: round(row[key], DIGITS) + 0.0 for key in numbers}


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        compare_published(
            list(snakemake.input.tables),
            str(Path(snakemake.input.published[0]).parent),
            snakemake.params.tests,
            snakemake.params.images,
            snakemake.params.models,
            snakemake.params.views,
            snakemake.output.table,
        )
