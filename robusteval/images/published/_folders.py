"""Releases of JPEG files: ``corruption/severity/wnid/file``, as ImageNet-C was published."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from robusteval.images.published._release import Chosen, Published

SEVERITIES = (1, 2, 3, 4, 5)
GROUPS = ("noise", "blur", "weather", "digital", "extra")  # the archives that were published
ENDINGS = ("jpeg", "jpg", "png")
WNID = re.compile(r"n\d{8}")


@dataclass(frozen=True)
class Files:
    """Decodes rows of a severity, (B, side, side, 3); can be sent to other processes."""

    paths: Mapping[int, Sequence[str]]
    side: int

    def __call__(self, severity: int, rows: slice) -> NDArray[np.uint8]:
        return np.stack([decoded(path, self.side) for path in self.paths[severity][rows]])


def from_folders(
    folder: str | Path, corruption: str, chosen: Chosen, *, side: int, classes: int, hint: str = ""
) -> Published:
    """Return the images of ``corruption`` below ``folder``, matched by wnid and file stem.

    A clean image whose folder is not a wnid is matched by its stem alone. All names are looked up
    at every severity before the first image is read. Files are decoded as they are: they must have
    ``side`` pixels. ``hint`` ends the message that files are missing.

    Raises:
        ValueError: names are missing, a severity is incomplete or has other files than the rest,
            or the classes disagree with those of the clean images.
    """
    root = _root(Path(folder), corruption)
    paths, counts = {}, {}
    for severity in SEVERITIES:
        place = root / str(severity)
        found = _files(place, classes)
        keys = _matched(place, chosen, found, hint)
        _check_labels(place, keys, chosen)
        paths[severity] = [found[key] for key in keys]
        counts[severity] = len(found)
    _check_counts(root, counts)
    return Published((side, side, 3), SEVERITIES, len(chosen.ids), Files(paths, side))


def _root(folder: Path, corruption: str) -> Path:
    """Return the folder of a corruption, which may lie in the group that its archive was."""
    places = [folder / corruption, *(folder / group / corruption for group in GROUPS)]
    for place in places:
        if place.is_dir():
            return place
    raise ValueError(
        f"{folder}: neither {corruption}/ nor {'|'.join(GROUPS)}/{corruption}/ is there; unpack "
        f"the archives into this folder"
    )


def _files(folder: Path, classes: int) -> dict[str, str]:
    """Return the paths of the images in ``folder``, by ``wnid/stem``."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: not there, severities 1 to 5 expected; unpack the set anew")
    wnids = sorted(e.name for e in os.scandir(folder) if e.is_dir() and e.name[0] != ".")
    if len(wnids) > classes:
        raise ValueError(
            f"{folder}: {len(wnids):,} folders of classes, at most {classes:,} expected; this is "
            f"another set: fetch it anew"
        )
    found: dict[str, str] = {}
    for wnid in wnids:
        for entry in os.scandir(folder / wnid):
            stem, _, ending = entry.name.rpartition(".")
            if ending.lower() not in ENDINGS or stem[:1] in ("", "."):
                continue
            if (other := found.setdefault(f"{wnid}/{stem}", entry.path)) != entry.path:
                raise ValueError(f"{entry.path}: {other} is the same image; keep one of them")
    return found


def _matched(folder: Path, chosen: Chosen, found: dict[str, str], hint: str) -> list[str]:
    """Return the ``wnid/stem`` in ``found`` of each chosen image."""
    if chosen.names is None:
        raise ValueError("the clean images have no file names; the release is matched by them")
    by_stem: dict[str, list[str]] = {}
    for key in found:
        by_stem.setdefault(key.partition("/")[2], []).append(key)
    keys, missing, moved = [], [], []
    for name in chosen.names:
        path = Path(name)
        key, twins = f"{path.parent.name}/{path.stem}", by_stem.get(path.stem, [])
        if not WNID.fullmatch(path.parent.name) and len(twins) == 1:
            key = twins[0]
        if key in found:
            keys.append(key)
        else:
            missing.append(name)
            moved += twins[:1]
    if not missing:
        return keys
    many = f"{len(missing):,} of {len(chosen.names):,} images"
    if len(moved) == len(missing):
        raise ValueError(
            f"{folder}: {many} are in the folder of another class, the first is {missing[0]} of "
            f"the clean images, {moved[0]} here; sort the clean images anew"
        )
    raise ValueError(
        f"{folder}: {many} are missing, the first is {missing[0]}; unpack the set anew{hint}"
    )


def _check_labels(folder: Path, keys: Sequence[str], chosen: Chosen) -> None:
    """Check that each label has one folder of the release, and each folder one label."""
    wnid_of: dict[int, str] = {}
    label_of: dict[str, int] = {}
    for label, key in zip(chosen.labels.tolist(), keys, strict=True):
        wnid = key.partition("/")[0]
        if (other := wnid_of.setdefault(label, wnid)) != wnid:
            said = f"label {label} is {other}, and {wnid} for {key}"
        elif (number := label_of.setdefault(wnid, label)) != label:
            said = f"{wnid} is label {number}, and label {label} for {key}"
        else:
            continue
        raise ValueError(f"{folder}: labels disagree: {said}; sort the clean images anew")


def _check_counts(root: Path, counts: dict[int, int]) -> None:
    """Check that all severities have as many images: an archive may have been cut short."""
    usual = Counter(counts.values()).most_common(1)[0][0]
    for severity, count in counts.items():
        if count != usual:
            raise ValueError(
                f"{root / str(severity)}: {count:,} images, the other severities have {usual:,}; "
                f"unpack the set anew"
            )


def decoded(path: str, side: int) -> NDArray[np.uint8]:
    """Return the pixels (side, side, 3) of a file, neither resized nor cropped.

    Raises:
        ValueError: the file is damaged or has another size.
    """
    try:
        with Image.open(path) as picture:
            pixels = np.asarray(picture.convert("RGB"))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"{path}: damaged ({error}); unpack the set anew") from error
    if pixels.shape != (side, side, 3):
        height, width = pixels.shape[:2]
        raise ValueError(
            f"{path}: {width} x {height} pixels, {side} x {side} expected; the published files "
            f"must be neither resized nor cropped"
        )
    return pixels
