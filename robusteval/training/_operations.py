"""The nine operations of AugMix on tensors, each at a strength of its own for every image.

An operation takes images (N, C, H, W) in [0, 1] and strengths (N,) from -1 to 1, the sign being the
direction of a movement, and returns images of the same shape. Those that resemble corruptions of
ImageNet-C (contrast, colour, brightness, sharpness) are left out (arXiv 1912.02781, section 3).
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

UNCHANGED = -1  # in place of an operation's number
LARGEST_ANGLE = math.pi / 6
LARGEST_SHEAR = 0.3
LARGEST_SHIFT = 1 / 3  # of the side


def chained(images: Tensor, *, severity: float, depth: int, rng: torch.Generator) -> Tensor:
    """Return ``images`` (N, C, H, W) after 1 to ``depth`` random operations each.

    The strength of an operation is uniform between 0.01 and ``severity`` / 10; at a severity of 0
    nothing changes.
    """
    count, largest = len(images), severity / 10
    smallest = min(0.01, largest)
    length = torch.randint(1, depth + 1, (count,), generator=rng)
    for step in range(depth):
        which = torch.randint(len(OPERATIONS), (count,), generator=rng)
        strength = smallest + (largest - smallest) * torch.rand(count, generator=rng)
        sign = 2.0 * torch.randint(2, (count,), generator=rng) - 1
        which[(length <= step) | (strength == 0)] = UNCHANGED
        images = operated(images, which, strength * sign)
    return images


def operated(images: Tensor, which: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` after one operation each: number ``which`` (N,), or none if UNCHANGED."""
    result = images.clone()
    for number, operation in enumerate(OPERATIONS):
        rows = (which == number).nonzero()[:, 0]
        if len(rows):
            there = rows.to(images.device)
            result[there] = operation(images[there], strength[rows].to(images.device))
    return result


def autocontrast(images: Tensor, strength: Tensor) -> Tensor:
    """Return each channel stretched to reach from 0 to 1, at any strength; a flat one as it is."""
    low, high = images.amin((2, 3), keepdim=True), images.amax((2, 3), keepdim=True)
    return torch.where(high > low, (images - low) / (high - low), images)


def equalize(images: Tensor, strength: Tensor) -> Tensor:
    """Return each channel with its 256 levels spread evenly, at any strength; a flat one as it is.

    A pixel's new value is the share of pixels darker than it, the darkest 0 and the brightest 1.
    """
    levels = (images * 255).round().long().flatten(2)
    counts = torch.zeros((*levels.shape[:2], 256), dtype=torch.long, device=images.device)
    counts.scatter_add_(2, levels, torch.ones_like(levels))
    below = counts.cumsum(2) - counts
    largest = below.gather(2, levels.amax(2, keepdim=True))
    spread = (below.gather(2, levels) / largest).view_as(images).to(images.dtype)
    return torch.where(largest[..., None] > 0, spread, images)


def posterize(images: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` rounded down to 4 bits a channel, to fewer from a strength of 0.25 on."""
    bits = (4 - (4 * strength.abs()).floor()).clamp(min=1)
    width = _column(2 ** (8 - bits))
    return (images * 255 / width).floor() * width / 255


def solarize(images: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` with the pixels inverted that are brighter than 1 - strength."""
    return torch.where(images > 1 - _column(strength.abs()), 1 - images, images)


def rotate(images: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` turned about their centre, by up to 30 degrees."""
    sine, cosine = (f(LARGEST_ANGLE * strength) for f in (torch.sin, torch.cos))
    return _warped(images, xx=cosine, xy=-sine, yx=sine, yy=cosine)


def shear_x(images: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` with rows moved sideways, by up to 0.3 of their distance to the middle."""
    return _warped(images, xy=LARGEST_SHEAR * strength)


def shear_y(images: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` with columns moved up or down, by up to 0.3 of that distance."""
    return _warped(images, yx=LARGEST_SHEAR * strength)


def translate_x(images: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` moved sideways by up to a third of their width."""
    return _warped(images, x=LARGEST_SHIFT * strength)


def translate_y(images: Tensor, strength: Tensor) -> Tensor:
    """Return ``images`` moved up or down by up to a third of their height."""
    return _warped(images, y=LARGEST_SHIFT * strength)


def _warped(images: Tensor, **matrix: Tensor) -> Tensor:
    """Return ``images`` read, linearly between pixels, where an affine map sends each pixel.

    ``xy`` is by how many columns a row further down is read further right, and so on; ``x`` and
    ``y`` are shifts as shares of the side. Black beyond the border.
    """
    count, _, height, width = images.shape
    theta = torch.eye(2, 3, dtype=images.dtype, device=images.device).repeat(count, 1, 1)
    # Positions run from -1 to 1 along either side, whatever its length.
    units = {"xx": 1.0, "yy": 1.0, "xy": height / width, "yx": width / height, "x": 2.0, "y": 2.0}
    for name, value in matrix.items():
        row, column = "xy".index(name[0]), "xy".index(name[1]) if len(name) == 2 else 2
        theta[:, row, column] = units[name] * value
    grid = F.affine_grid(theta, list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)


def _column(values: Tensor) -> Tensor:
    return values.view(-1, 1, 1, 1)


OPERATIONS: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    autocontrast,
    equalize,
    posterize,
    solarize,
    rotate,
    shear_x,
    shear_y,
    translate_x,
    translate_y,
)
