"""All images in one folder, with a list of labels beside: the validation set of ILSVRC."""

from pathlib import Path

from robusteval.images._folder import image_files
from robusteval.images._labels import Classes
from robusteval.images._listing import Listing
from robusteval.images.layouts._tables import labelled_files


def flat_list(folder: Path, classes: Classes, *, labels: str, unlisted: str = "error") -> Listing:
    """Return the listing of the files that the text file ``labels`` names, in natural order.

    ``labels`` is relative to ``folder``. Its lines are ``file label``, with blanks, a tab or a
    comma between, or a label alone, then they belong to the image files in natural order. A label
    is a class id (wnid) or a number from 0. The numbers 1 to 1,000 of the ILSVRC devkit are in an
    order of their own and refused.

    Raises:
        ValueError: as in ``labelled_files``; a list of labels alone is not as long as the folder.
    """
    path = folder / labels
    if not path.is_file():
        raise ValueError(f"{path}: no such list; give `labels` relative to {folder}")
    text = path.read_text(encoding="utf-8-sig")  # editors on Windows put a mark before the first
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise ValueError(f"{path}: empty; a line `file label` an image expected")
    pairs = [_split(line) for line in lines]
    alone = [pair for pair in pairs if pair[0] is None]
    if not alone:
        files = [str(file) for file, _ in pairs]
    elif len(alone) == len(pairs):
        files = image_files(folder)
        if len(files) != len(pairs):
            raise ValueError(
                f"{path}: {len(pairs):,} labels for {len(files):,} images in {folder}; a label "
                f"each, in the order of the files, expected"
            )
    else:
        number = next(i for i, (file, _) in enumerate(pairs, 1) if file is None)
        raise ValueError(f"{path}: line {number}: {lines[number - 1]!r}: `file label` expected")
    return labelled_files(folder, files, [v for _, v in pairs], classes, str(path), unlisted)


def _split(line: str) -> tuple[str | None, str]:
    """Return file and label of a line; the file may have blanks in its name."""
    for separator in ("\t", ",", None):
        parts = [part.strip() for part in line.rsplit(separator, 1)]
        if len(parts) == 2:
            return parts[0], parts[1]
    return None, line
