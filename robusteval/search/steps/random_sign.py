"""A control: the same random signs at each step, whatever the gradient says."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from robusteval.search.steps._rule import Memory


def start(latents: Tensor, generators: Sequence[np.random.Generator] | None) -> Memory:
    """Return a direction of -1 and 1 for each of the latents (N, D, h, w), by its generator.

    Raises:
        ValueError: there are no generators.
    """
    if generators is None:
        raise ValueError("a random direction needs generators, one an image")
    shape = tuple(latents.shape[1:])
    signs = np.stack([2 * g.integers(2, size=shape, dtype=np.int8) - 1 for g in generators])
    return {"direction": torch.from_numpy(signs).to(latents)}


def random_sign(gradient: Tensor, memory: Memory, *, step_size: float) -> tuple[Tensor, Memory]:
    """Return ``step_size`` times the image's own direction (N, D, h, w), and the direction."""
    return step_size * memory["direction"], memory
