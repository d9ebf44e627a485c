"""Image sets of the user: what a catalogue entry says about them, turned into a listing.

The keys of an entry: ``folder`` (a path, or ``package:NAME/PATH``), ``layout`` (a file of
``robusteval/images/layouts``) and its ``options``; ``classes`` (a list of ids, or the name of one),
``mapping`` and ``others`` (see ``Classes``); ``only``, a text file that names the images to be
kept; ``count``, the number of images; ``present``, which classes have images: "all", a name or a
list of ids. All but the first two are optional.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval import plugins
from robusteval.images._class_lists import IMAGENET, class_list
from robusteval.images._folder import folder_of
from robusteval.images._labels import Classes
from robusteval.images._listing import Listing, check
from robusteval.images._only import only


def listing_of(entry: Mapping[str, Any]) -> Listing:
    """Return the listing of the images that a catalogue entry describes, held to its promises.

    Raises:
        ValueError: the entry, or the source, is not as it should be.
    """
    ids = class_ids(entry)
    layout = plugins.load("images.layouts", entry["layout"])
    options = entry.get("options", {})
    _check_options(entry["layout"], layout, options)
    classes = Classes(ids, entry.get("mapping"), entry.get("others", "error"))
    listing: Listing = layout(folder_of(entry["folder"]), classes, **options)
    if "only" in entry:
        listing = only(listing, Path(entry["only"]).expanduser(), entry["folder"])
    present = _present(entry.get("present"), ids, listing.labels)
    check(listing, entry["folder"], count=entry.get("count"), classes=ids, present=present)
    return listing


def _check_options(name: str, layout: Callable[..., Listing], options: Mapping[str, Any]) -> None:
    """Check that a layout has every option that is given, and is given each that it needs."""
    parameters = inspect.signature(layout).parameters.values()
    known = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    if unknown := sorted(set(options) - set(known)):
        there = f"there are {', '.join(known)}" if known else "it has none"
        raise ValueError(f"options: {unknown[0]!r} is no option of the layout {name}; {there}")
    empty = inspect.Parameter.empty
    if missing := [o for o, default in known.items() if default is empty and o not in options]:
        raise ValueError(f"options: the layout {name} needs {', '.join(missing)}")


def class_ids(entry: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the ids that labels of an entry point to, None where labels are plain numbers.

    Raises:
        ValueError: the list is one of the subsets of ImageNet.
    """
    classes = entry.get("classes")
    if classes is None:
        return None
    if isinstance(classes, str):
        if classes in ("imagenet_a", "imagenet_r"):
            raise ValueError(
                f"classes: {classes}: labels would run from 0 to 199, but models count the classes "
                f"of ImageNet from 0 to 999; write `classes: {IMAGENET}` and `present: {classes}`"
            )
        return class_list(classes)
    return tuple(map(str, classes))


def subset_of(entry: Mapping[str, Any]) -> list[int] | None:
    """Return the labels, in order, of the classes that a set shows if those are not all."""
    ids, asked = class_ids(entry), entry.get("present")
    if asked is None or asked == "all":
        return None
    labels = sorted(_present(asked, ids, np.empty(0, np.int64)) or ())
    return None if ids is not None and len(labels) == len(ids) else labels


def _present(
    asked: str | Sequence[str] | None, ids: tuple[str, ...] | None, labels: NDArray[np.int64]
) -> list[int] | None:
    """Return the labels that are promised to have images each."""
    if asked is None:
        return None
    if asked == "all":
        high = len(ids) if ids is not None else int(labels.max(initial=-1)) + 1
        return list(range(high))
    wanted = class_list(asked) if isinstance(asked, str) else tuple(map(str, asked))
    if ids is None:
        raise ValueError("present: a list of classes needs `classes`, which says their order")
    if unknown := [name for name in wanted if name not in ids]:
        raise ValueError(f"present: {unknown[0]!r} is not among the classes")
    return [ids.index(name) for name in wanted]
