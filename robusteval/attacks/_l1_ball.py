"""The L1 ball cut by the pixel range: the nearest point in it, and random points."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

HALVINGS = 60  # of an interval of at most 1: below the last bit of float64


def projected_l1(x: Tensor, x0: Tensor, eps: float) -> Tensor:
    """Return the point nearest to ``x`` that is in the L1 ball around ``x0`` and in [0, 1].

    Both (N, C, H, W) float32. It is the exact Euclidean projection onto the intersection, not one
    set after the other: each |change| is lessened by one threshold an image and cut at the pixel
    range, and the threshold, found by bisection in float64, is the smallest that suffices.

    Source: Croce and Hein, "Mind the box: l1-APGD for sparse adversarial attacks on image
        classifiers", ICML 2021, arXiv 2103.01208, section 2.
    """
    change = (x.double() - x0.double()).flatten(1)
    clean = x0.double().flatten(1)
    room = torch.where(change > 0, 1 - clean, clean)
    size = change.abs()

    def shrunk(threshold: Tensor) -> Tensor:
        return torch.minimum((size - threshold[:, None]).clamp_min(0), room)

    low = torch.zeros_like(size[:, 0])
    high = torch.where(shrunk(low).sum(1) > eps, size.amax(1), low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        over = shrunk(middle).sum(1) > eps
        low, high = torch.where(over, middle, low), torch.where(over, high, middle)
    moved = clean + change.sign() * shrunk(high)
    return moved.view_as(x).to(x.dtype).clamp(0, 1)


def random_point_l1(x0: Tensor, generators: Sequence[np.random.Generator], eps: float) -> Tensor:
    """Return points drawn uniformly from the L1 balls around ``x0`` (N, C, H, W), cut to [0, 1].

    A point on the simplex of one dimension more, with random signs and without the last part, is
    uniform in the ball.
    """
    shape = tuple(x0.shape[1:])
    count = int(np.prod(shape))
    drawn = []
    for generator in generators:
        parts = generator.standard_exponential(count + 1)
        signs = generator.integers(0, 2, count) * 2 - 1
        drawn.append((eps * signs * parts[:count] / parts.sum()).reshape(shape))
    return (x0 + torch.from_numpy(np.stack(drawn).astype(np.float32)).to(x0.device)).clamp(0, 1)
