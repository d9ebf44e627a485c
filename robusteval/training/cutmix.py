"""CutMix (Yun, Han, Oh, Chun, Choe, Yoo 2019, arXiv 1905.04899)."""

import math

import torch
from torch import Tensor, nn

from robusteval.training._pairs import drawn_pairs, pair_loss


def cutmix(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    alpha: float = 1.0,
) -> Tensor:
    """Return the loss of images with a box of another image pasted in, one box a batch.

    The box would have the area 1 - lambda, lambda from Beta(``alpha``, ``alpha``), and its centre
    lies anywhere (section 3.1). What lies beyond the border is cut off, and the targets are
    blended by the area that is left, so that both images count for what is seen of them.
    """
    weight, partner = drawn_pairs(len(images), alpha=alpha, rng=rng)
    partner = partner.to(images.device)
    height, width = images.shape[2:]
    rows, columns = _box(height, width, area=1 - weight, rng=rng)
    pasted = images.clone()
    pasted[:, :, rows, columns] = images[partner][:, :, rows, columns]
    seen = (rows.stop - rows.start) * (columns.stop - columns.start) / (height * width)
    return pair_loss(model(pasted), labels, labels[partner], 1 - seen)


def _box(height: int, width: int, *, area: float, rng: torch.Generator) -> tuple[slice, slice]:
    """Return the rows and columns of a box of about the share ``area``, within the image."""
    side = math.sqrt(area)
    centre = torch.rand(2, generator=rng).tolist()
    return _span(height, centre[0], side), _span(width, centre[1], side)


def _span(pixels: int, centre: float, side: float) -> slice:
    start, stop = round(pixels * (centre - side / 2)), round(pixels * (centre + side / 2))
    return slice(max(start, 0), min(stop, pixels))
