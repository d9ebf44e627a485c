"""Which published names mean the same weights."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FILE = "tables/names.csv"


def same_weights(folder: str | Path) -> dict[str, str]:
    """Return {published name: the name that stands for the same weights}, from ``names.csv``."""
    path = Path(folder) / FILE
    if not path.is_file():
        return {}
    with path.open(newline="") as file:
        return {line["name"]: line["same_as"] for line in csv.DictReader(file)}


def names_of(model: str, entry: Mapping[str, Any]) -> list[str]:
    """Return the names under which the weights of a catalogue's ``entry`` may be published.

    They are its id, the name in its library with the tag of the weights ("resnet50.tv_in1k"), and
    what the source of its published accuracy calls it. A network that is trained here, or
    is put behind a defence, has its id alone: a paper's numbers for it are typed in under that.
    """
    if "training" in entry or "wraps" in entry:
        return [model, *entry.get("published_as", [])]
    named = str(entry.get("arguments", {}).get("name", ""))
    quoted = str(entry.get("published_accuracy", {}).get("source", "")).rpartition(", ")[2]
    own = entry.get("published_as", [])
    tagged = [name for name in (named, quoted) if "." in name]
    return list(dict.fromkeys([model, *own, *tagged]))


def meant(names: Iterable[str], same: Mapping[str, str]) -> set[str]:
    """Return ``names`` and all those that mean the same weights."""
    heads = {same.get(name, name) for name in names}
    return heads | {name for name, head in same.items() if head in heads}
