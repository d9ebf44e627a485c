"""The validation part of Tiny ImageNet as released: images, and a list of classes and boxes."""

from pathlib import Path

from robusteval.images._labels import Classes
from robusteval.images._listing import Listing
from robusteval.images.layouts._tables import labelled_files


def tiny_imagenet_validation(
    folder: Path, classes: Classes, *, labels: str = "val_annotations.txt"
) -> Listing:
    """Return the listing of the files in ``folder``/images, in natural order.

    The lines of ``labels`` are ``val_0.JPEG``, a wnid and the corners of a box, tabs between them.

    Raises:
        ValueError: there is no list, a line is another, or as in ``labelled_files``.
    """
    path = folder / labels
    if not path.is_file():
        raise ValueError(
            f"{path}: no such list; give the folder `val` as released, or, where its images lie in "
            f"a folder for each class, the layout wnid_folders"
        )
    lines = [line.split("\t") for line in path.read_text().splitlines() if line.strip()]
    for number, line in enumerate(lines, 1):
        if len(line) < 2:
            raise ValueError(f"{path}: line {number}: {line[0]!r}: file, wnid and box expected")
    files, wnids = [f"images/{line[0]}" for line in lines], [line[1] for line in lines]
    return labelled_files(folder, files, wnids, classes, str(path), "error")
