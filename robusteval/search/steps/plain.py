"""Plain gradient ascent."""

from torch import Tensor

from robusteval.search.steps._rule import Memory


def plain(gradient: Tensor, memory: Memory, *, step_size: float) -> tuple[Tensor, Memory]:
    """Return ``step_size`` times the gradient (N, D, h, w), and no memory."""
    return step_size * gradient, memory
