"""Images of unknown classes: all that are below a folder, whatever its folders are called."""

from pathlib import Path

import numpy as np

from robusteval.images._folder import Files, image_files
from robusteval.images._labels import Classes
from robusteval.images._listing import Listing


def unlabelled(folder: Path, classes: Classes) -> Listing:
    """Return the listing of all images below ``folder``, each with the label -1.

    ImageNet-O is such a set: its folders are named after the classes that its images are taken for.

    Raises:
        ValueError: there are ``classes``, which no image would belong to, or there is no image.
    """
    if classes.ids is not None or classes.mapping is not None:
        raise ValueError(f"{folder}: unlabelled images belong to no class; leave out `classes`")
    paths = image_files(folder)
    return Listing(paths, np.full(len(paths), -1, dtype=np.int64), Files(folder, paths))
