"""What a source calls its classes, turned into places in a list of classes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robusteval.images._listing import first_of

OTHERS = ("error", "unknown", "leave_out")
_NUMBER = re.compile(r"-?\d+(\.0+)?")  # tables written with a gap in the column say 65.0


@dataclass(frozen=True)
class Classes:
    """Which classes there are, and what to do with images of any other.

    ``ids`` in order, the label is the place in it; without them labels are numbers as they stand.
    ``mapping`` leads from what the source says to an id or a label; numbers that it does not name
    are then of no class. ``others`` is what becomes of images of no class: an error, the label -1
    ("unknown"), or they are left out ("leave_out").
    """

    ids: Sequence[str] | None = None
    mapping: Mapping[str, str | int] | None = None
    others: str = "error"

    def __post_init__(self) -> None:
        if self.others not in OTHERS:
            raise ValueError(f"others: {self.others!r}: one of {', '.join(OTHERS)} expected")
        ids = list(self.ids or ())
        if (
            twice := sorted({i for i in ids if ids.count(i) > 1})
            if len(set(ids)) < len(ids)
            else []
        ):
            raise ValueError(f"classes: {first_of(twice)} is given twice")
        for source, target in (self.mapping or {}).items():
            label = _label(str(target), ids, True)
            if label is None or label < -1 or (ids and label >= len(ids)):
                raise ValueError(f"mapping: {source}: {target!r} is not among the classes")


def labels_of(
    values: Sequence[str], names: Sequence[str], classes: Classes, where: str, *, numbers: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which images (M,) are kept and their labels (M,), both int64.

    ``values`` (N) is what the source ``where`` says of the images ``names`` (N). With ``numbers``
    a value that is no id may be a label: 0-based, -1 for unknown.

    Raises:
        ValueError: a number is out of range, numbers count from 1, or a class is not listed and
            others are an error.
    """
    mapping = {str(key): str(target) for key, target in (classes.mapping or {}).items()}
    meaning: dict[str, int | None] = {}
    _check_numbers(values, classes.ids, where, numbers)
    for value in dict.fromkeys(values):
        if value in mapping:
            meaning[value] = _label(mapping[value], classes.ids, True)
        else:
            meaning[value] = _label(value, classes.ids, numbers and not mapping)
    _check_range(values, names, meaning, classes.ids, where)
    others = [i for i, value in enumerate(values) if meaning[value] is None]
    if others and classes.others == "error":
        unlisted = list(dict.fromkeys(values[i] for i in others))
        hint = "" if numbers or not _NUMBER.fullmatch(unlisted[0]) else ", or use numbered_folders"
        raise ValueError(
            f"{where}: {len(others):,} images of classes that are not listed, the first is "
            f"{names[others[0]]} of {unlisted[0]!r}; give `classes` or a `mapping`, or say what "
            f"becomes of them with `others: unknown` or `others: leave_out`{hint}"
        )
    labels = np.array([-1 if (m := meaning[v]) is None else m for v in values], dtype=np.int64)
    keep = np.arange(len(values))
    if others and classes.others == "leave_out":
        keep = np.setdiff1d(keep, others)
    return keep, labels[keep]


def _check_numbers(
    values: Sequence[str], ids: Sequence[str] | None, where: str, numbers: bool
) -> None:
    """Refuse classes called by numbers where only some values are names, the others places."""
    if not numbers or ids is None or not any(_NUMBER.fullmatch(i) for i in ids):
        return
    named = {value for value in values if value in ids}
    places = {v for v in values if v not in named and _NUMBER.fullmatch(v) and v != "-1"}
    if named and places:
        raise ValueError(
            f"{where}: {sorted(named)[0]} is a name of a class, {sorted(places)[0]} is not: names "
            f"or places? Give a `mapping` from what the source says to the classes"
        )


def _label(value: str, ids: Sequence[str] | None, numbers: bool) -> int | None:
    """Return the label that a value means, None where it is of no class."""
    if ids is not None and value in ids:
        return ids.index(value)
    if numbers and _NUMBER.fullmatch(value):
        return int(value.split(".")[0])
    return None


def _check_range(
    values: Sequence[str],
    names: Sequence[str],
    meaning: Mapping[str, int | None],
    ids: Sequence[str] | None,
    where: str,
) -> None:
    known = [label for label in meaning.values() if label is not None]
    if not known:
        return
    high = max(known) if ids is None else len(ids) - 1
    wrong = [
        i for i, v in enumerate(values) if (m := meaning[v]) is not None and not -1 <= m <= high
    ]
    if not wrong:
        return
    hint = ""
    if min(known) >= 1 and max(known) == high + 1:
        hint = (
            "; they seem to count from 1: the numbers of the ILSVRC devkit are not the usual order "
            "of the classes, give wnids or labels from 0"
        )
    raise ValueError(
        f"{where}: labels out of range: {names[wrong[0]]} has {values[wrong[0]]}"
        f"{f', the first of {len(wrong):,}' if len(wrong) > 1 else ''}; 0 to {high} expected, or "
        f"-1 for unknown{hint}"
    )
