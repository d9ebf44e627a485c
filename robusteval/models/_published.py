"""What a library says about how its weights want their images, held against a card."""

import math
from collections.abc import Collection, Mapping
from typing import Any

CLOSE = 1e-3  # published means, deviations and crop fractions have three or four digits


def differences(card: Mapping[str, Any], published: Mapping[str, Any]) -> dict[str, str]:
    """Return, by key of the card's entry, how it differs from what is ``published``.

    Images that a view keeps as they are stored were resized by someone else, so that only their
    size is compared. See `robusteval.models.timm.published` for the keys.
    """
    view = card["view"]
    keys = {"mean": card["mean"], "std": card["std"]}
    found = {
        key: _words(key, value, published[key])
        for key, value in keys.items()
        if not _near(value, published[key])
    }
    as_stored = "crop_fraction" not in view
    size, crop = tuple(card["input_size"][:2]), view.get("crop_fraction")
    sizes = {tuple(s): c for s, c in published["geometries"]}
    if size not in sizes:
        found["size"] = _words("size", _by(size), " or ".join(map(_by, sizes)))
    elif not as_stored and _before_crop(size, crop) != _before_crop(size, sizes[size]):
        found["crop_fraction"] = _words("crop_fraction", crop, round(sizes[size], 4))
    for key in () if as_stored else ("interpolation", "resize"):
        if view[key] != published[key]:
            found[key] = _words(key, view[key], published[key])
    return found


def check_published(
    card: Mapping[str, Any],
    published: Mapping[str, Any] | None,
    library: str,
    differs: Collection[str] = (),
) -> None:
    """Raise ValueError if ``card`` wants other images than the library's weights, in one line.

    Weights for another number of classes are not the library's, and nothing is known about them.
    ``differs`` names the keys in which a difference is meant.
    """
    if published is None or published["classes"] != len(card["classes"]):
        return
    found = {k: words for k, words in differences(card, published).items() if k not in differs}
    if found:
        raise ValueError(
            f"{'; '.join(found.values())} according to {library}; mend the entry, or, if that is "
            f"meant, add to it differs: [{', '.join(found)}]"
        )


def _before_crop(size: tuple[int, int], crop: float) -> tuple[int, ...]:
    """Return the pixels to which images are resized before the crop, as views do it."""
    return tuple(math.floor(side / crop + 1e-6) for side in size)  # 224 / (224 / 232) is 232


def _near(ours: Any, theirs: Any) -> bool:
    return len(ours) == len(theirs) and all(
        abs(a - b) < CLOSE for a, b in zip(ours, theirs, strict=True)
    )


def _words(key: str, ours: Any, theirs: Any) -> str:
    return f"{key} is {ours}, but {theirs}"


def _by(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]}"
