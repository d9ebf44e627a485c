"""Bringing float images of one model's input size to another's, for transfer."""

from torch import Tensor
from torch.nn.functional import interpolate, pad

BORDERS = {"grey_padding": 0.5, "white_padding": 1.0}
RULES = ("bicubic", *BORDERS)


def at_size(images: Tensor, size: tuple[int, int], rule: str = "bicubic") -> Tensor:
    """Return ``images`` (N, C, H, W), float32 in [0, 1], at ``size`` (H, W).

    ``bicubic`` resizes with antialiasing, as an image library would do it, but on floats: the
    changes of an attack are smaller than a grey level and would not survive being rounded.
    ``grey_padding`` and ``white_padding`` leave the pixels as they are: a side that is too short
    gets a border of 0.5 or of 1, one that is too long is cut to its middle. Of an odd difference
    the smaller half is left and above.

    Source: the code released with Su et al. (2018) crops and pads with mid grey, their text is
        quoted with a white border; resizing is neither.

    Raises:
        ValueError: the rule is unknown.
    """
    _check(rule)
    if tuple(images.shape[2:]) == tuple(size):
        return images
    if rule == "bicubic":
        return interpolate(images, size, mode="bicubic", antialias=True).clamp(0, 1)
    (top, bottom), (left, right) = (
        _margins(is_, wanted) for is_, wanted in zip(images.shape[2:], size, strict=True)
    )
    # Negative margins cut.
    return pad(images, (left, right, top, bottom), value=BORDERS[rule]).contiguous()


def described(source: tuple[int, int], target: tuple[int, int], rule: str) -> str:
    """Return how images of the ``source`` size (H, W) become those of the ``target`` size.

    Raises:
        ValueError: the rule is unknown.
    """
    _check(rule)
    if tuple(source) == tuple(target):
        return "no"
    if rule == "bicubic":
        how = "bicubic, antialiased"
    else:
        grown = any(wanted > is_ for is_, wanted in zip(source, target, strict=True))
        cut = any(wanted < is_ for is_, wanted in zip(source, target, strict=True))
        border = rule.replace("_padding", " border")
        how = ", ".join(text for text, done in ((border, grown), ("centre cropped", cut)) if done)
    return f"{source[0]} x {source[1]} to {target[0]} x {target[1]}, {how}"


def _margins(length: int, wanted: int) -> tuple[int, int]:
    """Return what is added before and after; what is cut is negative."""
    difference = abs(wanted - length)
    before, after = difference // 2, difference - difference // 2
    return (before, after) if wanted >= length else (-before, -after)


def _check(rule: str) -> None:
    if rule not in RULES:
        raise ValueError(f"resize: {rule!r}: one of {', '.join(RULES)} expected")
