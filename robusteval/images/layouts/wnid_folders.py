"""A folder a class, named by the class's id: ImageNet by wnid, or any set by class name."""

from pathlib import Path

from robusteval.images._folder import Files, image_files
from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing, first_of


def wnid_folders(folder: Path, classes: Classes) -> Listing:
    """Return the listing of the images below ``folder``; the first folder of a path is its class.

    The label is the place of the folder's name in the list of classes, never the place among the
    folders that happen to be there: ImageNet-A has 200 folders, whose labels run up to 988.

    Raises:
        ValueError: no list of classes, images outside of a class's folder, a class is not listed.
    """
    if classes.ids is None and classes.mapping is None:
        raise ValueError(
            f"{folder}: folders are named by class, so the order of the classes has to be given: "
            f"`classes: imagenet_1k` or a list"
        )
    paths = image_files(folder)
    if loose := [path for path in paths if "/" not in path]:
        raise ValueError(f"{folder}: images outside of a class's folder: {first_of(loose)}")
    values = [path.partition("/")[0] for path in paths]
    keep, labels = labels_of(values, paths, classes, str(folder), numbers=False)
    kept = [paths[i] for i in keep]
    return Listing(kept, labels, Files(folder, kept))
