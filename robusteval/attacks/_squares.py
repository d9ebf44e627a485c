"""Square changes of images: where they lie, how large they are, what they hold."""

import torch
from torch import Tensor

HALVED_AT = (10, 50, 200, 1000, 2000, 4000, 6000, 8000)  # of 10,000 queries


def sides(queries: int, share: float, height: int, width: int) -> Tensor:
    """Return the side of the square of each query, (queries,) int64, in pixels.

    It covers ``share`` of the image, and half as much from each of `HALVED_AT` on, scaled to the
    number of queries.
    """
    t = torch.arange(queries, dtype=torch.float64) * (10_000 / queries)
    halvings = (t[:, None] > torch.tensor(HALVED_AT)).sum(1)
    area = share * 0.5**halvings * height * width
    return area.sqrt().round().long().clamp(1, min(height, width))


def corner(draw: Tensor, side: Tensor, length: int) -> Tensor:
    """Return where squares of ``side`` (W,) begin on an axis, for ``draw`` (W,) from [0, 1)."""
    room = (length - side + 1).clamp_min(1)
    return torch.minimum((draw * room).long(), room - 1)


def inside(top: Tensor, left: Tensor, side: Tensor, height: int, width: int) -> Tensor:
    """Return the pixels of one square an image, (W, 1, height, width) bool."""
    return _along(top, side, height)[:, None, :, None] & _along(left, side, width)[:, None, None]


def _along(first: Tensor, side: Tensor, length: int) -> Tensor:
    """Return which of ``length`` places are in ``side`` (W,) from ``first`` (W,), (W, length)."""
    place = torch.arange(length, device=first.device)
    return (place >= first[:, None]) & (place < (first + side)[:, None])


def pyramids(side: int) -> Tensor:
    """Return two stepped pyramids, one up and one down, side by side, (side, side) of length 1.

    Source: Andriushchenko et al. 2020, equation 2.
    """
    left = side // 2
    both = torch.cat([_pyramid(side, left), -_pyramid(side, side - left)], 1)
    return both / both.square().sum().sqrt()


def _pyramid(height: int, width: int) -> Tensor:
    """Return the sum over squares around the middle, (height, width)."""
    middle = height // 2
    row = (torch.arange(height) - middle).abs()
    column = (torch.arange(width) - width // 2).abs()
    depth = middle - torch.maximum(row[:, None], column[None])
    level = torch.arange(middle + 1)
    terms = 1 / (middle + 1.0 - level) ** 2
    return torch.where(level <= depth[..., None], terms, 0.0).sum(-1)


def placed(table: Tensor, row: Tensor, top: Tensor, left: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return the patterns ``table[row]`` (W, S, S) moved to their places, (W, 1, *shape).

    ``table`` (P, S, S) holds patterns in its upper left corners and 0 elsewhere.
    """
    size = table.shape[1]
    i = torch.arange(shape[0], device=top.device) - top[:, None]
    j = torch.arange(shape[1], device=top.device) - left[:, None]
    within = ((i >= 0) & (i < size))[:, :, None] & ((j >= 0) & (j < size))[:, None]
    found = table[
        row[:, None, None], i.clamp(0, size - 1)[:, :, None], j.clamp(0, size - 1)[:, None]
    ]
    return torch.where(within, found, 0)[:, None]
