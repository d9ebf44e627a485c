"""Norms of the gradients of margins: one forward pass, one backward pass for each class."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from robusteval.batches import padded
from robusteval.memory import FAILURES, fitting, narrower

DUAL = {"l1": float("inf"), "l2": 2.0, "linf": 1.0}
"""Order of the norm of a gradient that bounds how fast a function changes, by the norm of moves."""


class GradientNorms:
    """Measures gradients of a model and counts the passes.

    All classes share the graph of one forward pass. Batching the backward passes of the classes
    was slower on a CPU: several kernels run the classes one by one and copy the results together.

    Args:
        model: maps (N, C, H, W) to logits (N, K).
        width: images a pass; halved where a pass does not fit in memory.

    Attributes:
        forwards, backwards: passes so far, an image each.
    """

    def __init__(self, model: nn.Module, width: int) -> None:
        self.model = model
        self.width = fitting(model, width)
        self.forwards = 0
        self.backwards = 0

    def __call__(
        self, points: Tensor, label: int, classes: Sequence[int], norms: Sequence[str]
    ) -> Tensor:
        """Return dual norms (classes, norms, N), float32, on the CPU, at ``points`` (N, C, H, W).

        They are those of the gradient of z_label - z_class, with logits z, for each class; NaN or
        infinite where the gradient is.
        """
        parts: list[Tensor] = []
        start = 0
        while start < len(points):
            chunk = points[start : start + self.width]
            try:
                found = self._of_pass(padded(chunk, self.width), label, classes, norms)
            except FAILURES as error:
                self.width = narrower(self.model, self.width, error)
            else:
                parts.append(found[..., : len(chunk)].cpu())
                start += len(chunk)
        self.forwards += len(points)
        self.backwards += len(points) * len(classes)
        return torch.cat(parts, -1)

    @torch.enable_grad()
    def _of_pass(
        self, points: Tensor, label: int, classes: Sequence[int], norms: Sequence[str]
    ) -> Tensor:
        points = points.detach().requires_grad_()
        logits = self.model(points)
        rows = []
        for number, other in enumerate(classes, 1):
            margins = logits[:, label] - logits[:, other]
            kept = number < len(classes)
            (gradient,) = torch.autograd.grad(margins.sum(), points, retain_graph=kept)
            flat = gradient.flatten(1)
            rows.append(torch.stack([torch.linalg.vector_norm(flat, DUAL[n], 1) for n in norms]))
        return torch.stack(rows)
