"""Read a published result file in another format into the one of config/published."""

import logging
from collections.abc import Iterable
from pathlib import Path

from robusteval.published._checks import check_models
from robusteval.published.rows import LIST, about, import_file, sources, write_rows

log = logging.getLogger("job")


def import_published(
    path: Path, listing: Path, output: Path, known: Iterable[str] | None = None
) -> str:
    """Write the numbers in ``path`` as a table of the one format; return how many they are.

    What the file does not say of itself, its format, source and licence among it, stands in the
    line of its name in ``listing``, a file like config/published/tables/sources.csv. With ``known``
    model names, every model of the file must be one of them.

    Raises:
        ValueError: the listing lacks the file, the file is not in its format, or a model is
            unknown; the message suggests near names.
    """
    entries = {entry["file"]: entry for entry in sources(listing)}
    if path.name not in entries:
        raise ValueError(
            f"{listing}: {path.name} is not in it; add a line with its format, source and licence "
            f"(a {LIST} has {', '.join(next(iter(entries.values()), {})) or 'no line yet'})"
        )
    entry = entries[path.name]
    rows = import_file(path, entry["format"], about(entry, listing))
    if known is not None:
        check_models(rows, known)
    write_rows(output, rows)
    line = f"{output}: {len(rows)} published numbers of {len({r.model for r in rows})} models"
    log.info("%s", line)
    return line
