"""The constants of the published perturbation families, one table a family.

Source: hendrycks/robustness, ImageNet-P/create_p/make_imagenet_p.py (224 pixels) and
make_cifar_p.py (32 pixels), at difficulty 1. Where the scripts write 224 or 32 for the size of an
image, any size is allowed here; constants in pixels (a shift, a radius, a standard deviation)
stay as they are, so they belong to the size of a family's images. Each kind's constants are the
keyword arguments of its function; what changes from frame to frame is a tuple with an entry a
frame.

ImageNet-P was published as compressed videos, of which nothing is repeated here; CIFAR-10-P as
arrays.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

Table: TypeAlias = dict[str, dict[str, Any]]
Reference: TypeAlias = Literal["first", "previous"]

# Noise is drawn anew for each frame, so its frames have no order: they are held against the first.
NOISE = ("gaussian_noise", "shot_noise", "speckle_noise")
# Kinds that bring in what lies beyond the frame, where an image has a margin.
WIDER = ("zoom_blur", "translate", "rotate", "tilt", "scale", "shear")

_SHARED = ("gaussian_noise", "shot_noise", "motion_blur", "zoom_blur")
_MOVED = ("brightness", "translate", "rotate", "tilt", "scale")
_EXTRA = ("speckle_noise", "gaussian_blur")
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "imagenet_p": {
        "ten": (*_SHARED, "snow", *_MOVED),
        "extra": (*_EXTRA, "spatter", "shear"),
    },
    "cifar10_p": {
        "ten": (*_SHARED, "spatter", *_MOVED),
        "extra": (*_EXTRA, "snow", "shear"),
    },
}
"""The kinds of each family: the ten that means are over, and the four extra ones."""


def _each(frames: int, value: Callable[[int], float]) -> tuple[float, ...]:
    return tuple(value(i) for i in range(frames))


_IMAGENET_P: Table = {
    "gaussian_noise": {"frames": 31, "sd": 0.03},
    "shot_noise": {"frames": 31, "photons": 300.0},
    "motion_blur": {"radius": 10, "sigma": 3.0, "degrees": _each(31, lambda i: (i - 30) * 4)},
    "zoom_blur": {"factors": _each(31, lambda i: 1 + 0.004 * i)},
    "snow": {
        "mean": 0.05,
        "sd": 0.3,
        "factor": 3,
        "threshold": 0.5,
        "radius": 14,
        "sigma": 4.0,
        "weight": 0.85,
        "degrees": _each(31, lambda i: i * 4 - 150),
    },
    "brightness": {"amounts": _each(31, lambda i: (i - 15) * 2 / 100)},
    "translate": {"pixels": tuple(range(-20, 21))},
    "rotate": {"degrees": _each(31, lambda i: i - 15)},
    "tilt": {"degrees": _each(31, lambda i: i - 15)},
    "scale": {"factors": _each(31, lambda i: (i * 2.5 + 40) / 100)},
    "speckle_noise": {"frames": 31, "sd": 0.05},
    "gaussian_blur": {"sigmas": _each(31, lambda i: 0.25 + 0.035 * i), "truncate": 6.0},
    "spatter": {
        "frames": 31,
        "mean": 0.65,
        "sd": 0.27,
        "sigma": 3.7,
        "threshold": 0.69,
        "strength": 0.6,
        "drip": (0.05, 0.1, 0.15, 0.7),
    },
    "shear": {"degrees": _each(31, lambda i: i - 15)},
}

_CIFAR10_P: Table = {
    "gaussian_noise": {"frames": 31, "sd": 0.02},
    "shot_noise": {"frames": 31, "photons": 700.0},
    "motion_blur": {"radius": 6, "sigma": 1.8, "degrees": _each(21, lambda i: (i - 20) * 9)},
    "zoom_blur": _IMAGENET_P["zoom_blur"],
    "snow": {**_IMAGENET_P["snow"], "factor": 2, "radius": 10, "sigma": 2.0},
    "brightness": {"amounts": _each(31, lambda i: (i - 15) * 1.5 / 100)},
    "translate": {"pixels": tuple(range(-7, 9))},
    "rotate": _IMAGENET_P["rotate"],
    "tilt": {"degrees": _each(31, lambda i: 0.75 * (i - 15))},
    "scale": {"factors": _each(31, lambda i: (i * 2 + 70) / 100)},
    "speckle_noise": {"frames": 31, "sd": 0.05},
    "gaussian_blur": {"sigmas": _each(31, lambda i: 0.3 + 0.015 * i), "truncate": 7.0},
    "spatter": {
        "frames": 31,
        "mean": 0.6,
        "sd": 0.265,
        "sigma": 1.75,
        "threshold": 0.7,
        "strength": 0.6,
        "drip": (0.2, 0.8),
    },
    "shear": _IMAGENET_P["shear"],
}

FAMILIES: dict[str, Table] = {"imagenet_p": _IMAGENET_P, "cifar10_p": _CIFAR10_P}


def constants(kind: str, *, family: str) -> dict[str, Any]:
    """Return the keyword arguments of the perturbation ``kind`` in ``family``.

    Raises:
        ValueError: an unknown family or kind; the message lists those there are.
    """
    if family not in FAMILIES:
        raise ValueError(f"unknown family {family!r}; there are {', '.join(FAMILIES)}")
    table = FAMILIES[family]
    if kind not in table:
        raise ValueError(f"{family} has no perturbation {kind!r}; it has {', '.join(table)}")
    return table[kind]


def frames_of(kind: str, *, family: str) -> int:
    """Return the number of frames of a sequence of ``kind``, the first included."""
    values = constants(kind, family=family)
    varying = (v for key, v in values.items() if isinstance(v, tuple) and key != "drip")
    return int(values.get("frames") or len(next(varying)))


def reference_of(kind: str) -> Reference:
    """Return which frame the frames of a sequence of ``kind`` are held against."""
    return "first" if kind in NOISE else "previous"
