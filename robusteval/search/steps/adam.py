"""Ascent by Adam (Kingma & Ba 2015, arXiv 1412.6980)."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from robusteval.search.steps._rule import Memory


def start(latents: Tensor, generators: Sequence[np.random.Generator] | None) -> Memory:
    """Return moments of 0 for latents (N, D, h, w)."""
    zeros = torch.zeros_like(latents)
    return {"first": zeros, "second": zeros, "power": torch.zeros_like(latents[:, :1, :1, :1])}


def adam(
    gradient: Tensor,
    memory: Memory,
    *,
    step_size: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple[Tensor, Memory]:
    """Return the step (N, D, h, w) of algorithm 1 of the paper, upwards, and the next moments."""
    power = memory["power"] + 1
    first = beta1 * memory["first"] + (1 - beta1) * gradient
    second = beta2 * memory["second"] + (1 - beta2) * gradient.square()
    mean, square = first / (1 - beta1**power), second / (1 - beta2**power)
    by = step_size * mean / (square.sqrt() + epsilon)
    return by, {"first": first, "second": second, "power": power}
