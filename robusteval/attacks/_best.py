"""Keeping the nearest adversarial image that a search meets."""

import torch
from torch import Tensor

from robusteval.attacks._goal import State


def begin(state: State) -> State:
    """Return ``state`` with no image found: ``best`` (W,), the smallest distance, is infinite."""
    return state | {"best": torch.full_like(state["label"], torch.inf, dtype=torch.float32)}


def kept(state: State, candidate: Tensor, distance: Tensor, good: Tensor, reached: Tensor) -> State:
    """Return ``state`` with ``x``, its verdict and its distance brought up to date.

    ``x`` is the nearest ``candidate`` (W, C, H, W) so far that is ``good`` (W,), or, as long as
    there is none, the last one. ``distance`` and ``reached`` (W,) are those of the candidates.
    """
    nearer = good & (distance < state["best"])
    taken = nearer | state["best"].isinf()
    if not taken.any():
        return state
    return state | {
        "x": torch.where(taken.view(-1, 1, 1, 1), candidate, state["x"]),
        "success": torch.where(taken, reached, state["success"]),
        "best": torch.where(nearer, distance, state["best"]),
    }
