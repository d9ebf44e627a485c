"""The constants of the published corruption families, one table a family.

Source: hendrycks/robustness, commit 8190fe329f5f, ImageNet-C/create_c/make_imagenet_c.py (224
pixels), make_tinyimagenet_c.py (64) and make_cifar_c.py (32); google-research/mnist-c, commit
bba57e4ccc28, corruptions.py (28 pixels, grey), of whose severities one was published. A corruption
with several parameters has a tuple of them at each severity, in the order of its function's
documentation.
"""

from typing import TypeAlias

import numpy as np

Constant: TypeAlias = float | tuple[float, ...]
Table: TypeAlias = dict[str, tuple[Constant, ...]]  # as many constants as the family has severities


def _to(stop: float, step: float) -> tuple[float, ...]:
    """Return the factors of zoom blur from 1; rounding puts ``stop`` in some of them, as there."""
    return tuple(np.arange(1, stop, step).tolist())


def _of(side: int, *parts: float) -> tuple[float, ...]:
    """Return the constants of elastic transform: ``parts`` of ``side``, in pixels."""
    return tuple(side * part for part in parts)


_IMAGENET_C: Table = {
    "gaussian_noise": (0.08, 0.12, 0.18, 0.26, 0.38),
    "shot_noise": (60, 25, 12, 5, 3),
    "gaussian_blur": (1, 2, 3, 4, 6),
    "contrast": (0.4, 0.3, 0.2, 0.1, 0.05),
    "brightness": (0.1, 0.2, 0.3, 0.4, 0.5),
    "pixelate": (0.6, 0.5, 0.4, 0.3, 0.25),
    "jpeg_compression": (25, 18, 15, 10, 7),
    "impulse_noise": (0.03, 0.06, 0.09, 0.17, 0.27),
    "speckle_noise": (0.15, 0.2, 0.35, 0.45, 0.6),
    "saturate": ((0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)),
    "defocus_blur": ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)),
    "zoom_blur": (
        _to(1.11, 0.01),
        _to(1.16, 0.01),
        _to(1.21, 0.02),
        _to(1.26, 0.02),
        _to(1.31, 0.03),
    ),
    "motion_blur": ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15)),
    "fog": ((1.5, 2, 256), (2, 2, 256), (2.5, 1.7, 256), (2.5, 1.5, 256), (3, 1.4, 256)),
    "glass_blur": ((0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2)),
    "snow": (
        (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
        (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
        (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
        (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
        (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
    ),
    "elastic_transform": (
        _of(244, 2, 0.7, 0.1),
        _of(244, 2, 0.08, 0.2),
        _of(244, 0.05, 0.01, 0.02),
        _of(244, 0.07, 0.01, 0.02),
        _of(244, 0.12, 0.01, 0.02),
    ),
    "spatter": (
        (0.65, 0.3, 4, 0.69, 0.6, 0),
        (0.65, 0.3, 3, 0.68, 0.6, 0),
        (0.65, 0.3, 2, 0.68, 0.5, 0),
        (0.65, 0.3, 1, 0.65, 1.5, 1),
        (0.67, 0.4, 1, 0.65, 1.5, 1),
    ),
    "frost": ((1, 0.4, 1), (0.8, 0.6, 1), (0.7, 0.7, 1), (0.65, 0.7, 1), (0.6, 0.75, 1)),
}

_TINY_IMAGENET_C: Table = {
    "gaussian_noise": (0.04, 0.08, 0.12, 0.15, 0.18),
    "shot_noise": (250, 100, 50, 30, 15),
    "gaussian_blur": (0.5, 0.75, 1, 1.25, 1.5),
    "contrast": (0.4, 0.3, 0.2, 0.1, 0.05),
    "brightness": (0.1, 0.2, 0.3, 0.4, 0.5),
    "pixelate": (0.9, 0.8, 0.7, 0.6, 0.5),
    "jpeg_compression": (65, 58, 50, 40, 25),
    "impulse_noise": (0.01, 0.02, 0.05, 0.08, 0.14),
    "speckle_noise": (0.15, 0.2, 0.25, 0.3, 0.35),
    "saturate": ((0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (30, 0.2)),
    "defocus_blur": ((0.5, 0.6), (1, 0.1), (1.5, 0.1), (2.5, 0.01), (3, 0.1)),
    "zoom_blur": (
        _to(1.06, 0.01),
        _to(1.11, 0.01),
        _to(1.16, 0.01),
        _to(1.21, 0.01),
        _to(1.26, 0.01),
    ),
    "motion_blur": ((10, 1), (10, 1.5), (10, 2), (10, 2.5), (12, 3)),
    "fog": ((0.4, 3, 64), (0.7, 3, 64), (1, 2.5, 64), (1.5, 2, 64), (2, 1.75, 64)),
    "glass_blur": ((0.1, 1, 1), (0.5, 1, 1), (0.6, 1, 2), (0.7, 2, 1), (0.9, 2, 2)),
    "snow": (
        (0.1, 0.2, 1, 0.6, 8, 3, 0.8),
        (0.1, 0.2, 1, 0.5, 10, 4, 0.8),
        (0.15, 0.3, 1.75, 0.55, 10, 4, 0.7),
        (0.25, 0.3, 2.25, 0.6, 12, 6, 0.65),
        (0.3, 0.3, 1.25, 0.65, 14, 12, 0.6),
    ),
    "elastic_transform": (
        _of(64, 0, 0, 0.08),
        _of(64, 0.05, 0.3, 0.06),
        _of(64, 0.1, 0.08, 0.06),
        _of(64, 0.1, 0.03, 0.03),
        _of(64, 0.16, 0.03, 0.02),
    ),
    "spatter": (
        (0.62, 0.1, 0.7, 0.7, 0.6, 0),
        (0.65, 0.1, 0.8, 0.7, 0.6, 0),
        (0.65, 0.3, 1, 0.69, 0.6, 0),
        (0.65, 0.1, 0.7, 0.68, 0.6, 1),
        (0.65, 0.1, 0.5, 0.67, 0.6, 1),
    ),
    "frost": (
        (1, 0.3, 0.3),
        (0.9, 0.4, 0.3),
        (0.8, 0.45, 0.3),
        (0.75, 0.5, 0.3),
        (0.7, 0.55, 0.3),
    ),
}

_CIFAR10_C: Table = {
    "gaussian_noise": (0.04, 0.06, 0.08, 0.09, 0.10),
    "shot_noise": (500, 250, 100, 75, 50),
    "gaussian_blur": (0.4, 0.6, 0.7, 0.8, 1),
    "contrast": (0.75, 0.5, 0.4, 0.3, 0.15),
    "brightness": (0.05, 0.1, 0.15, 0.2, 0.3),
    "pixelate": (0.95, 0.9, 0.85, 0.75, 0.65),
    "jpeg_compression": (80, 65, 58, 50, 40),
    "impulse_noise": (0.01, 0.02, 0.03, 0.05, 0.07),
    "speckle_noise": (0.06, 0.1, 0.12, 0.16, 0.2),
    "saturate": ((0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)),
    "defocus_blur": ((0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)),
    "zoom_blur": (
        _to(1.06, 0.01),
        _to(1.11, 0.01),
        _to(1.16, 0.01),
        _to(1.21, 0.01),
        _to(1.26, 0.01),
    ),
    "motion_blur": ((6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)),
    "fog": ((0.2, 3, 32), (0.5, 3, 32), (0.75, 2.5, 32), (1, 2, 32), (1.5, 1.75, 32)),
    "glass_blur": ((0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)),
    "snow": (
        (0.1, 0.2, 1, 0.6, 8, 3, 0.95),
        (0.1, 0.2, 1, 0.5, 10, 4, 0.9),
        (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9),
        (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85),
        (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8),
    ),
    "elastic_transform": (
        _of(32, 0, 0, 0.08),
        _of(32, 0.05, 0.2, 0.07),
        _of(32, 0.08, 0.06, 0.06),
        _of(32, 0.1, 0.04, 0.05),
        _of(32, 0.1, 0.03, 0.03),
    ),
    "spatter": (
        (0.62, 0.1, 0.7, 0.7, 0.5, 0),
        (0.65, 0.1, 0.8, 0.7, 0.5, 0),
        (0.65, 0.3, 1, 0.69, 0.5, 0),
        (0.65, 0.1, 0.7, 0.69, 0.6, 1),
        (0.65, 0.1, 0.5, 0.68, 0.6, 1),
    ),
    "frost": (
        (1, 0.2, 0.2),
        (1, 0.3, 0.2),
        (0.9, 0.4, 0.2),
        (0.85, 0.4, 0.2),
        (0.75, 0.45, 0.2),
    ),
}

_MNIST_C: Table = {
    "shot_noise": (3,),
    "impulse_noise": (0.17,),
    "glass_blur": ((0.7, 2),),
    "motion_blur": ((10, 3),),
    "shear": (0.4,),
    "scale": (0.7,),
    "rotate": (0.4,),
    "brightness": (0.5,),
    "translate": (3,),
    "stripe": (0.25,),
    "fog": ((3, 1.4, 256),),
    "spatter": ((0.65, 0.3, 1, 0.65, 1.5, 1),),
    "dotted_line": ((2.3, 2),),
    "zigzag": ((2.3, 2, 2, 5),),
    "canny_edges": ((1, 0.1, 0.2),),
}

FAMILIES: dict[str, Table] = {
    "imagenet_c": _IMAGENET_C,
    "tiny_imagenet_c": _TINY_IMAGENET_C,
    "cifar10_c": _CIFAR10_C,
    "mnist_c": _MNIST_C,
}
SEVERITIES = (1, 2, 3, 4, 5)


def severities(family: str) -> tuple[int, ...]:
    """Return the severities of ``family``, the mildest first: 1 to 5, or 1 alone.

    Raises:
        ValueError: an unknown family; the message lists what there is.
    """
    if family not in FAMILIES:
        raise ValueError(f"unknown family {family!r}; there are {', '.join(FAMILIES)}")
    row = next(iter(FAMILIES[family].values()))
    return SEVERITIES[: len(row)]


def constant(corruption: str, severity: int, *, family: str) -> Constant:
    """Return the published constant of ``corruption`` at ``severity`` in ``family``.

    Raises:
        ValueError: an unknown family, a corruption that the family lacks, or another severity;
            the message lists what there is.
    """
    allowed = severities(family)
    table = FAMILIES[family]
    if corruption not in table:
        raise ValueError(f"{family} has no corruption {corruption!r}; it has {', '.join(table)}")
    if severity not in allowed:
        known = ", ".join(map(str, allowed))
        raise ValueError(f"severity {severity!r}; {family} has {known}")
    return table[corruption][allowed.index(severity)]
