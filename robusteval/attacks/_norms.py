"""The two balls that an attack may search: largest change of a pixel (linf), Euclidean (l2)."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

NORMS = ("linf", "l2")
TINY = 1e-12  # stands in for a norm of 0, whose direction is then 0


def _l2(delta: Tensor) -> Tensor:
    """Return the Euclidean norm of each row of ``delta`` (N, C, H, W) as (N, 1, 1, 1)."""
    length: Tensor = torch.linalg.vector_norm(delta, dim=(1, 2, 3), keepdim=True)
    return length.clamp_min(TINY)


def steepest(gradient: Tensor, norm: str) -> Tensor:
    """Return the direction of length 1 in ``norm`` that climbs fastest along ``gradient``."""
    return gradient.sign() if norm == "linf" else gradient / _l2(gradient)


def projected(x: Tensor, x0: Tensor, eps: Tensor | float, norm: str) -> Tensor:
    """Return ``x`` (N, C, H, W) brought into the ball around ``x0`` and into [0, 1].

    ``eps`` is one radius, or one an image (N,).
    """
    radius = torch.as_tensor(eps, dtype=x.dtype, device=x.device).view(-1, 1, 1, 1)
    delta = x - x0
    if norm == "linf":
        delta = delta.clamp(-radius, radius)
    else:
        delta = delta * (radius / _l2(delta)).clamp_max(1)
    return (x0 + delta).clamp(0, 1)


def random_point(
    x0: Tensor, generators: Sequence[np.random.Generator], eps: float, norm: str
) -> Tensor:
    """Return points drawn uniformly from the balls around ``x0`` (N, C, H, W), cut to [0, 1]."""
    shape = tuple(x0.shape[1:])
    draw = _in_cube if norm == "linf" else _in_ball
    delta = np.stack([draw(generator, shape) for generator in generators])
    return (x0 + torch.from_numpy((eps * delta).astype(np.float32)).to(x0.device)).clamp(0, 1)


def _in_cube(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a point uniform in the cube [-1, 1]."""
    return generator.uniform(-1, 1, shape)


def _in_ball(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a point uniform in the Euclidean unit ball of ``np.prod(shape)`` dimensions."""
    direction = generator.standard_normal(shape)
    length = generator.random() ** (1 / direction.size)
    point: NDArray[np.float64] = direction * (length / np.linalg.norm(direction))
    return point
