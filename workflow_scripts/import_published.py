"""Read published result files in other formats into a table of the one in config/published."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from robusteval.published._checks import choose_models, listed
from robusteval.published._row import About, Row
from robusteval.published.names import meant, names_of, same_weights
from robusteval.published.recognise import layout_of
from robusteval.published.rows import import_file, read_folder, write_rows

Entries = Mapping[str, Mapping[str, Any]]
NEAR = 5  # names that are near, at most; a table of all models has some for each
UNITS = {"robustbench_corruptions": "fraction"}  # of formats that have one; else percent


def import_published(
    paths: Sequence[Path],
    folder: Path,
    *,
    about: About,
    layout: str = "",
    name: str = "",
    models: Sequence[str] = (),
    overwrite: bool = False,
    catalogue: Entries | None = None,
) -> str:
    """Write the numbers in ``paths`` as ``folder``/NAME.csv, in the one format; say what is in it.

    ``about`` says what the files do not, an empty unit being that of the format; ``layout``, if
    not given, is seen from their columns, and the name is that of the first file. Only ``models``,
    if given, are taken. ``catalogue`` has the models whose numbers will be compared.

    Raises:
        ValueError: a file is in no format, or not as its format says; a model is not in it, with
            names that are near; a number is in the folder already; or the table is.
    """
    if missing := [path for path in paths if not path.is_file()]:
        raise ValueError(f"{missing[0]}: no such file")
    if name != Path(name).name:
        raise ValueError(f"--name {name}: the name of a table expected, without folders")
    output = folder / f"{name or paths[0].stem.replace('-', '_')}.csv"
    if output.exists() and not overwrite:
        raise ValueError(f"{output} exists; choose another --name, or --replace it")
    rows = [row for path in paths for row in _read(path, layout or layout_of(path), about)]
    rows = choose_models(rows, models) if models else rows
    _check_new(rows, [row for row in read_folder(folder) if not _of(row, output)])
    write_rows(output, rows)
    found = list(dict.fromkeys(row.model for row in rows))
    lines = [f"{output}: {len(rows)} published numbers of {len(found)} models"]
    return "\n".join([*lines, *_compared(found, rows, catalogue or {}, same_weights(folder))])


def _read(path: Path, layout: str, about: About) -> list[Row]:
    unit = about.unit or UNITS.get(layout, "percent")
    return import_file(path, layout, replace(about, unit=unit))


def _of(row: Row, output: Path) -> bool:
    return row.place.startswith(f"{output}, ")


def _check_new(rows: Iterable[Row], others: Iterable[Row]) -> None:
    """Refuse numbers that stand twice in the files, or in another table of the folder."""
    known: dict[tuple[str, ...], Row] = {row.key: row for row in others}
    for row in rows:
        if row.key in known:
            where = ", ".join(filter(None, (row.test, row.condition)))
            raise ValueError(
                f"{row.place}: {row.what} of {row.model} on {where} stands at "
                f"{known[row.key].place} already, from {row.source}; keep one of them, or say "
                f"another --source"
            )
        known[row.key] = row


def _compared(
    found: Sequence[str], rows: Sequence[Row], catalogue: Entries, same: Mapping[str, str]
) -> list[str]:
    """Return lines on which models of the catalogue the numbers are of, and on near names."""
    from workflow_scripts.compare_published import mistyped

    names = {model: names_of(model, entry) for model, entry in catalogue.items()}
    own = [m for m, known in names.items() if meant(known, same) & set(found)]
    if own:
        lines = [f"Studies that measure {listed(own)} are compared with them at the next run."]
    else:
        lines = [
            "None of them is a model of the catalogue, and no study is compared with them. A name "
            "that others use for the same weights goes into tables/names.csv."
        ]
    return lines + mistyped(rows, names, set(), same, measured="the catalogue")[:NEAR]
