"""Largest gradient norms around an image, of many batches of random points."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robusteval.probes._gradients import GradientNorms
from robusteval.probes._points import BLOCK, blocks

METHODS = ("released", "art")


@dataclass(frozen=True)
class Sampling:
    """How points are drawn: ``batches`` maxima over ``samples`` points each.

    "released": every batch has points of its own. "art": all batches draw, with replacement, from
    one pool of ``pool`` times ``samples`` points.
    """

    method: str
    ball: str
    radius: float
    batches: int
    samples: int
    pool: int


def maxima_of(
    norms_at: GradientNorms,
    image: Tensor,
    label: int,
    classes: Sequence[int],
    norms: Sequence[str],
    sampling: Sampling,
    key: int,
) -> NDArray[np.float64]:
    """Return the largest dual norms (classes, norms, batches) of gradients of z_label - z_class.

    NaN or infinite where a gradient was. ``key`` decides the points around ``image`` (C, H, W),
    which do not depend on the classes and norms asked for.
    """
    shared = sampling.method == "art"
    group = 1 if shared else sampling.samples
    groups = sampling.pool * sampling.samples if shared else sampling.batches
    best = np.zeros((groups, len(classes), len(norms)), np.float32)
    points = blocks(
        image,
        torch.Generator(image.device).manual_seed(key),
        group * groups,
        ball=sampling.ball,
        radius=sampling.radius,
        shrunk=not shared,
    )
    start = 0
    while waiting := list(islice(points, max(1, norms_at.width // BLOCK))):
        chunk = torch.cat(waiting)
        values = norms_at(chunk, label, classes, norms).numpy()
        member = np.arange(start, start + len(chunk)) // group
        np.maximum.at(best, member, np.moveaxis(values, -1, 0))
        start += len(chunk)
    if shared:
        drawn = np.random.Generator(np.random.Philox(key=key))
        chosen = drawn.integers(groups, size=(sampling.batches, sampling.samples))
        best = np.stack([best[batch].max(0) for batch in chosen])
    return np.moveaxis(best, 0, -1).astype(np.float64)
