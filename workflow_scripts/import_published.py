"""Read a published result file in another format into the one of config/published."""

import logging
from pathlib import Path

from robusteval.published.rows import LIST, about, import_file, sources, write_rows

log = logging.getLogger("job")


def import_published(path: Path, listing: Path, output: Path) -> str:
    """Write the numbers in ``path`` as a table of the one format; return how many they are.

    What the file does not say of itself, its format, source and licence among it, stands in the
    line of its name in ``listing``, a file like config/published/tables/sources.csv.

    Raises:
        ValueError: the listing lacks the file, or the file is not in its format.
    """
    entries = {entry["file"]: entry for entry in sources(listing)}
    if path.name not in entries:
        raise ValueError(
            f"{listing}: {path.name} is not in it; add a line with its format, source and licence "
            f"(a {LIST} has {', '.join(next(iter(entries.values()), {})) or 'no line yet'})"
        )
    entry = entries[path.name]
    rows = import_file(path, entry["format"], about(entry, listing))
    write_rows(output, rows)
    line = f"{output}: {len(rows)} published numbers of {len({r.model for r in rows})} models"
    log.info("%s", line)
    return line
