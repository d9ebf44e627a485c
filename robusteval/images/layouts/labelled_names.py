"""Images whose file names hold their label, such as ``imagenet_07_609.jpg``."""

import re
from pathlib import Path

from robusteval.images._folder import Files, image_files
from robusteval.images._labels import Classes, labels_of
from robusteval.images._listing import Listing


def labelled_names(folder: Path, classes: Classes, *, pattern: str) -> Listing:
    r"""Return the listing of the files whose name ``pattern`` describes in full.

    ``pattern`` is a regular expression with a group ``label``, a number from 0 or a class id, and
    if there is one, a group ``id``, which then has to be unique:
    ``imagenet_(?P<id>\d+)_(?P<label>\d+)\.jpg``. Other files are left out.

    Raises:
        ValueError: not a pattern, no file of such a name, two files with the same id.
    """
    try:
        rule = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"pattern: {pattern!r}: not a regular expression ({error})") from error
    if "label" not in rule.groupindex:
        raise ValueError(f"pattern: {pattern!r}: a group (?P<label>…) expected")
    there = image_files(folder)
    found = [(path, match) for path in there if (match := rule.fullmatch(path.split("/")[-1]))]
    if not found:
        raise ValueError(
            f"{folder}: none of {len(there):,} images, such as {there[0]}, has a name like "
            f"{pattern!r}"
        )
    if "id" in rule.groupindex:
        seen: dict[str, str] = {}
        for path, match in found:
            if match["id"] in seen:
                raise ValueError(
                    f"{folder}: two files with the id {match['id']}: {seen[match['id']]} and {path}"
                )
            seen[match["id"]] = path
    paths = [path for path, _ in found]
    values = [match["label"] for _, match in found]
    keep, labels = labels_of(values, paths, classes, str(folder), numbers=True)
    kept = [paths[i] for i in keep]
    return Listing(kept, labels, Files(folder, kept))
