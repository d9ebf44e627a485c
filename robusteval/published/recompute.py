"""All recomputations that need no images."""

import inspect
from pathlib import Path

from robusteval import plugins
from robusteval.published._comparison import Comparison
from robusteval.published.rows import read_folder

PACKAGE = "published.recomputed"


def recompute(folder: str | Path) -> dict[str, list[Comparison]]:
    """Return by recomputation what it compares of the published numbers in ``folder``.

    Each is a file of published/recomputed with a function of its name, which takes the rows and,
    if it reads a table with columns that the one format has not, the ``folder``.
    """
    rows = read_folder(folder)
    found = {}
    for name in plugins.names(PACKAGE):
        function = plugins.load(PACKAGE, name)
        takes_folder = "folder" in inspect.signature(function).parameters
        found[name] = function(rows, folder=folder) if takes_folder else function(rows)
    return found
