"""Lists of classes by name: ImageNet-1k in the usual order, and subsets: -A, -R, Tiny ImageNet.

Most come with timm, whose files are read without importing it, which would take seconds.

Sources: Russakovsky et al. 2015 (ILSVRC2012); Hendrycks et al. 2021, Natural Adversarial Examples
(-A) and The Many Faces of Robustness (-R).
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from robusteval.images._tiny_imagenet import WNIDS

IMAGENET = "imagenet_1k"
TINY_IMAGENET = "tiny_imagenet"
_FILES = {
    IMAGENET: "imagenet_synsets.txt",
    "imagenet_a": "imagenet_a_synsets.txt",
    "imagenet_r": "imagenet_r_synsets.txt",
}
NAMES = (*_FILES, TINY_IMAGENET)


@cache
def class_list(name: str) -> tuple[str, ...]:
    """Return the wnids of a list, in order; those of ImageNet-1k number the outputs of models.

    Raises:
        ValueError: there is no such list, or timm is not installed.
    """
    if name not in NAMES:
        raise ValueError(f"unknown list of classes {name!r}; there are {', '.join(NAMES)}")
    return tuple((WNIDS if name == TINY_IMAGENET else _text(_FILES[name])).split())


@cache
def labels_in_imagenet(name: str) -> tuple[int, ...]:
    """Return the labels in ImageNet-1k, 0 to 999, of the classes of a list."""
    place = {wnid: i for i, wnid in enumerate(class_list(IMAGENET))}
    return tuple(place[wnid] for wnid in class_list(name))


def words(wnids: Sequence[str]) -> tuple[str, ...]:
    """Return what people call the classes: "tench, Tinca tinca" for n01440764.

    Raises:
        ValueError: a wnid is not in WordNet's list.
    """
    known = _lemmas()
    if missing := [wnid for wnid in wnids if wnid not in known]:
        raise ValueError(f"unknown wnid {missing[0]!r}; 'n' and eight digits expected")
    return tuple(known[wnid] for wnid in wnids)


def names_of_wnid(wnid: str) -> tuple[str, ...]:
    """Return each name of a class: ("tench", "Tinca tinca"), none where WordNet's list lacks it."""
    return tuple(name for name in _lemmas().get(wnid, "").split(", ") if name)


@cache
def _lemmas() -> dict[str, str]:
    lines = _text("imagenet_synset_to_lemma.txt").splitlines()
    return dict(line.split("\t", 1) for line in lines if line)


def _text(file: str) -> str:
    spec = find_spec("timm")
    if spec is None or spec.origin is None:
        raise ValueError("the lists of ImageNet's classes come with the package timm; install it")
    return (Path(spec.origin).parent / "data" / "_info" / file).read_text()
