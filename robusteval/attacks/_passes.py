"""The model as an attack sees it: passes at one width, counted and checked."""

import torch
from torch import Tensor, nn

from robusteval.models._errors import ModelError


class Passes:
    """Runs a model on W slots and counts the passes that each slot uses.

    Gradients are taken with respect to the images only; the model's parameters are not touched.

    Args:
        model: maps (W, C, H, W) to logits (W, K).
        index: (W,), int64, which image is in each slot, for messages.
        classes: the smallest K that can hold every label.

    Attributes:
        forwards, backwards: (W,), int64.
    """

    def __init__(self, model: nn.Module, index: Tensor, classes: int) -> None:
        self.model = model
        self.index = index
        self.classes = classes
        self.forwards = torch.zeros_like(index)
        self.backwards = torch.zeros_like(index)
        self._x = torch.empty(0)

    def forward(self, x: Tensor, *, differentiable: bool = True) -> Tensor:
        """Return logits (W, K) of ``x`` (W, C, H, W); ``differentiable`` allows a `backward`.

        Raises:
            ModelError: the shape is wrong or a logit is NaN.
        """
        self._x = x.detach().requires_grad_(differentiable)
        with torch.set_grad_enabled(differentiable):
            logits: Tensor = self.model(self._x)
        if logits.ndim != 2 or len(logits) != len(x) or logits.shape[1] < self.classes:
            raise ModelError(
                f"logits have shape {tuple(logits.shape)}; "
                f"({len(x)}, K) with K at least {self.classes} expected"
            )
        self._refuse(logits.isnan().any(1), "logits are NaN")
        self.forwards = self.forwards + 1
        return logits

    def backward(self, loss: Tensor, where: Tensor) -> Tensor:
        """Return the gradient (W, C, H, W) of ``loss`` (W,) at the images of the last `forward`.

        ``where`` (W,), bool, says which slots need it. If none does, nothing is run and the
        gradient is 0; else the rows of the others are valid but not counted.

        Raises:
            ModelError: a gradient that is needed is NaN or infinite.
        """
        if not where.any():
            return torch.zeros_like(self._x)
        (gradient,) = torch.autograd.grad(loss.sum(), self._x)
        sums = gradient.flatten(1).sum(1)  # keep a NaN or an infinity, and are fast
        self._refuse(where & ~sums.isfinite(), "gradients are not finite")
        self.backwards = self.backwards + where
        return gradient

    def _refuse(self, bad: Tensor, reason: str) -> None:
        """Raise ModelError if any slot is ``bad`` (W,)."""
        if bad.any():
            images = set(self.index[bad].tolist())  # a set, as empty slots hold copies of an image
            raise ModelError(f"{reason} for {len(images)} images, the first at {min(images)}")
