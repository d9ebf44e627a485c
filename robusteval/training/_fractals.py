"""Fractals made on the spot: attractors of random iterated function systems.

A system is a few contracting affine maps; a point that is sent through maps drawn at random ends up
on, and wanders over, a self-similar set (Barnsley 1988, Fractals Everywhere, chapter 3).
"""

import math

import torch
from torch import Tensor

MAPS = 4  # at most; 2 at least
STRETCH = (0.3, 0.9)  # of an axis by a map: below 1, so that points stay together
BURN_IN, STEPS = 10, 24  # steps until a point is on the set; steps that are drawn
HITS = 2.0  # points drawn, a pixel


def fractals(count: int, shape: tuple[int, int, int], *, rng: torch.Generator) -> Tensor:
    """Return ``count`` random fractals of ``shape`` (C, H, W), float32 from 0 to 1, black outside.

    A pixel is the brighter the more often it is met, on a logarithmic scale, in the mean colour of
    the maps that met it. Each fractal fills its picture and has one pixel of value 1.
    """
    channels, height, width = shape
    points = math.ceil(HITS * height * width / STEPS)
    x, y, which = _walk(count, points, rng)
    pixel = _scaled(y, height) * width + _scaled(x, width)
    cell = (torch.arange(count) * MAPS + which) * (height * width) + pixel
    hits = torch.bincount(cell.flatten(), minlength=count * MAPS * height * width)
    hits = hits.view(count, MAPS, height, width)
    total = hits.sum(1, keepdim=True)
    colours = 0.2 + 0.8 * torch.rand((count, MAPS, channels), generator=rng)
    mean = torch.einsum("fmhw,fmc->fchw", hits.float(), colours) / total.clamp(min=1)
    picture = total.float().log1p() * mean
    return picture / picture.amax((1, 2, 3), keepdim=True)


def _walk(count: int, points: int, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Return where ``points`` of each fractal go, and by which map: (STEPS, points, count) each."""
    maps, limits = _systems(count, rng)
    first = MAPS * torch.arange(count)
    x, y = torch.zeros(points, count), torch.zeros(points, count)
    path = []
    for step in range(BURN_IN + STEPS):
        draw = torch.rand((points, count), generator=rng)
        which = (draw[..., None] >= limits).sum(-1)
        a, b, c, d, e, f = maps[first + which].unbind(-1)
        x, y = a * x + b * y + e, c * x + d * y + f
        if step >= BURN_IN:
            path.append((x, y, which))
    xs, ys, whiches = zip(*path, strict=True)
    return torch.stack(xs), torch.stack(ys), torch.stack(whiches)


def _systems(count: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return maps (count * MAPS, 6), rows a b c d e f, and limits (count, MAPS - 1) to draw by.

    A map is a turn, a stretch of either axis and another turn; it is drawn in proportion to the
    area it leaves, which spreads the points evenly.
    """
    turn = 2 * math.pi * torch.rand((2, count, MAPS), generator=rng)
    low, high = STRETCH
    stretch = low + (high - low) * torch.rand((2, count, MAPS), generator=rng)
    shift = 2 * torch.rand((2, count, MAPS), generator=rng) - 1
    (c1, c2), (s1, s2), (p, q) = turn.cos(), turn.sin(), stretch
    matrix = (
        c1 * p * c2 - s1 * q * s2,
        -c1 * p * s2 - s1 * q * c2,
        s1 * p * c2 + c1 * q * s2,
        -s1 * p * s2 + c1 * q * c2,
    )
    used = torch.arange(MAPS) < torch.randint(2, MAPS + 1, (count, 1), generator=rng)
    area = (p * q * used).cumsum(1)
    limits = area[:, :-1] / area[:, -1:]
    return torch.stack([*matrix, *shift], dim=-1).view(-1, 6), limits


def _scaled(position: Tensor, side: int) -> Tensor:
    """Return the pixel, 0 to ``side`` - 1, of each position, every fractal filling the side."""
    low, high = position.amin((0, 1)), position.amax((0, 1))
    return ((position - low) / (high - low) * side).long().clamp(max=side - 1)
