"""Images with a CSV file that has a column of file names and one of labels."""

from pathlib import Path

from robusteval.images._labels import Classes
from robusteval.images._listing import Listing
from robusteval.images.layouts._tables import labelled_files


def csv(
    folder: Path,
    classes: Classes,
    *,
    table: str,
    file: str = "file",
    label: str | None = "label",
    separator: str = ",",
    unlisted: str = "error",
) -> Listing:
    """Return the listing of the files in the column ``file`` of ``table``, in natural order.

    ``table`` is relative to ``folder``, and so are the files in it, which may lack their suffix.
    Of a class id with the corners of boxes after it the id counts: the lists of ILSVRC with boxes
    have ``n03995372 85 1 499 272``. Without a ``label`` column all labels are -1.

    Raises:
        ValueError: the table cannot be read or lacks a column; as in ``labelled_files``.
    """
    import pandas as pd  # not needed by the other layouts

    path = folder / table
    if not path.is_file():
        raise ValueError(f"{path}: no such table; give `table` relative to {folder}")
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, sep=separator)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a table ({error}); a CSV file expected") from error
    for column in (file, label):
        if column is not None and column not in frame:
            raise ValueError(
                f"{path}: no column {column!r}; there are {', '.join(map(str, frame.columns))}"
            )
    values = ["-1"] * len(frame) if label is None else frame[label].str.strip().to_list()
    ids = {*(classes.ids or ()), *(classes.mapping or ())}
    values = [_without_boxes(value, ids) for value in values]
    files = frame[file].str.strip().to_list()
    return labelled_files(folder, files, values, classes, str(path), unlisted)


def _without_boxes(value: str, ids: set[str]) -> str:
    """Return the class id of ``value`` without the boxes after it, if that is all there is."""
    first, *rest = value.split() or [""]
    boxes = all(word.lstrip("-").isdigit() or word in ids for word in rest)
    return first if rest and first in ids and boxes and value not in ids else value
