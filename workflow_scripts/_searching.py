"""What searches and the check of their oracle share: images, generator, oracle."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.generators._adapter import fitted
from robusteval.generators._card import load_generator
from robusteval.generators._generator import Generator
from robusteval.images._class_lists import NAMES, class_list, words

BYTES = 255
ORIGINAL, ROUND_TRIP = "original", "round trip"  # conditions beside those of a search


def names_of(classes: str | Sequence[str]) -> list[str]:
    """Return classes in words: wnids, and those of a list, by what WordNet calls them."""
    wnids = class_list(classes) if isinstance(classes, str) and classes in NAMES else classes
    if all(len(name) == 9 and name[0] == "n" and name[1:].isdigit() for name in wnids):
        return _apart([name.split(",") for name in words(list(wnids))])
    return list(wnids)


def _apart(names: list[list[str]]) -> list[str]:
    """Return the first name of each class, or all of them where two classes share the first."""
    first = [name[0] for name in names]
    return [",".join(n) if first.count(n[0]) > 1 else n[0] for n in names]


def generator_for(
    folder: Path, shape: Sequence[int], adapter: str | None, device: str
) -> tuple[Generator, dict[str, Any]]:
    """Return the generator in ``folder`` for images of ``shape`` (H, W, C), and its card.

    Raises:
        ValueError: it is of another size and there is no ``adapter``, or its weights are damaged.
    """
    generator, card = load_generator(folder, device)
    return fitted(generator, card["input_size"], shape, adapter=adapter), card


def as_bytes(images: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return images (N, C, H, W) of 256 levels in [0, 1] as (N, H, W, C) uint8, without loss."""
    return np.ascontiguousarray((images * BYTES).round().astype(np.uint8).transpose(0, 2, 3, 1))
