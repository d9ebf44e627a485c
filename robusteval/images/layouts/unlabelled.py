"""Images of unknown classes: all that are below a folder, whatever its folders are called."""

from pathlib import Path

import numpy as np

from robusteval.images._class_lists import class_list
from robusteval.images._folder import Files, image_files
from robusteval.images._labels import Classes
from robusteval.images._listing import Listing
from robusteval.images._overlap import shared_classes


def unlabelled(folder: Path, classes: Classes, *, without: str | None = None) -> Listing:
    """Return the listing of all images below ``folder``, each with the label -1.

    ImageNet-O is such a set: its folders are named after the classes that its images are taken for.
    Where folders are named after what they show, as those of iNaturalist, ``without`` leaves out
    those of the classes of a list, such as ``imagenet_1k``, by ``shared_classes``.

    Raises:
        ValueError: there are ``classes``, which no image would belong to, or there is no image.
    """
    if classes.ids is not None or classes.mapping is not None:
        raise ValueError(f"{folder}: unlabelled images belong to no class; leave out `classes`")
    paths = image_files(folder)
    if without is not None:
        folders = list(dict.fromkeys(path.partition("/")[0] for path in paths))
        known = {shown for _, shown in shared_classes(class_list(without), folders)}
        paths = [path for path in paths if path.partition("/")[0] not in known]
    return Listing(paths, np.full(len(paths), -1, dtype=np.int64), Files(folder, paths))
