"""The result files of a layout in a folder of published numbers."""

from pathlib import Path

from robusteval.published.rows import IMPORTED, LIST, sources


def listed(folder: str | Path, layout: str, test: str = "") -> list[Path]:
    """Return the files that ``tables/sources.csv`` lists in a layout, with results on ``test``.

    Without a test they are those on any.
    """
    listing = Path(folder) / IMPORTED / LIST
    if not listing.is_file():
        return []
    return [
        listing.parent / entry["file"]
        for entry in sources(listing)
        if entry["format"] == layout and test in ("", entry["test"])
    ]
