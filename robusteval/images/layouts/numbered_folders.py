"""A folder a class, named by its number: ImageNet-V2 with folders 0 to 999."""

from pathlib import Path

from robusteval.images._folder import Files, image_files
from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing, first_of


def numbered_folders(folder: Path, classes: Classes) -> Listing:
    """Return the listing of the images below ``folder``; the first folder's number is the label.

    The number counts, not the place among the folders: sorted as strings, 10 would come before 2.

    Raises:
        ValueError: a folder that is no number, two folders of one number, images outside of one.
    """
    paths = image_files(folder)
    names = dict.fromkeys(path.partition("/")[0] for path in paths)
    if loose := [path for path in paths if "/" not in path]:
        raise ValueError(f"{folder}: images outside of a numbered folder: {first_of(loose)}")
    if wrong := [name for name in names if not (name.isascii() and name.isdigit())]:
        raise ValueError(
            f"{folder}: {first_of(wrong)} is not a number; folders 0, 1, 2, … expected, or use the "
            f"layout wnid_folders"
        )
    numbers = [int(name) for name in names]
    if twice := [name for name in names if numbers.count(int(name)) > 1]:
        raise ValueError(f"{folder}: {twice[0]} and {twice[1]} are one number; keep one folder")
    values = [str(int(path.partition("/")[0])) for path in paths]
    keep, labels = labels_of(values, paths, classes, str(folder), numbers=True)
    kept = [paths[i] for i in keep]
    return Listing(kept, labels, Files(folder, kept))
