"""Whether a set of unknown classes shows a class, or an image, that is known after all."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from robusteval.images._class_lists import names_of_wnid

_WNID = re.compile(r"n\d{8}")
_NUMBERED = re.compile(r"\d+_")  # folders of iNaturalist: 00012_Animalia_..._Genus_species


def shared_classes(known: Sequence[str], shown: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a class in ``known`` and one in ``shown`` that have a name in common.

    Two wnids are compared as such; a wnid and a name by WordNet's words for the wnid; names without
    regard to capitals and underscores. A folder of iNaturalist, such as
    ``00012_Animalia_..._Genus_species``, is known by the species at its end. Classes that are alike
    under other names, such as a cat and an Egyptian cat, are not found.
    """
    if not known or not shown:
        return []
    of_name: dict[str, str] = {}
    for name in reversed(known):  # of several the first stands for the name
        of_name |= dict.fromkeys(_names(name), name)
    words = {word: k for k in reversed(known) if _WNID.fullmatch(k) for word in _words(k)}
    pairs = []
    for name in shown:
        found = next((of_name[n] for n in _names(name) if n in of_name), None)
        if found is None and not _WNID.fullmatch(name):
            found = next((words[n] for n in _names(name) if n in words), None)
        elif found is None:
            found = next((of_name[n] for n in _words(name) if n in of_name), None)
        if found is not None:
            pairs.append((found, name))
    return pairs


def shared_image(known: Mapping[str, str], novel: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the names of the first image of ``novel`` that is in ``known``, there and here.

    Both map an image's name to the hash of its content, as manifests have them: the bytes of a
    file, or the pixels of an array. The same picture in another format is not found.
    """
    names = {content: name for name, content in known.items() if content}
    for name, content in novel.items():
        if content in names:
            return names[content], name
    return None


def _names(name: str) -> tuple[str, ...]:
    """Return what a class is called, other than by WordNet."""
    if not (numbered := _NUMBERED.match(name)):
        return (_plain(name),)
    words = _plain(name[numbered.end() :])
    return words, " ".join(words.split()[-2:])


@cache
def _words(wnid: str) -> tuple[str, ...]:
    return tuple(_plain(name) for name in names_of_wnid(wnid))


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split())
