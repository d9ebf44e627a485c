"""Ascent by the sign of the gradient: each dimension moves equally far."""

from torch import Tensor

from robusteval.search.steps._rule import Memory


def sign(gradient: Tensor, memory: Memory, *, step_size: float) -> tuple[Tensor, Memory]:
    """Return ``step_size`` times the signs of the gradient (N, D, h, w), and no memory."""
    return step_size * gradient.sign(), memory
