"""The model as an attack sees it: passes at one width, counted and checked."""

from typing import Any

import torch
from torch import Tensor, nn

from robusteval.batches import padded
from robusteval.models._errors import ModelError


class Passes:
    """Runs a model on W slots and counts the passes that each slot uses.

    Gradients are taken with respect to the images only; the model's parameters are not touched.

    An image whose very first logits or gradient are not finite tells of a broken model. Later, it
    is the image's search that broke: the slot is marked, and the engine ends its search.

    Args:
        model: maps (W, C, H, W) to logits (W, K).
        index: (W,), int64, which image is in each slot, for messages.
        classes: the smallest K that can hold every label.
        forwards_before, backwards_before: (W,), int64, passes that the images have had.

    Attributes:
        forwards, backwards: (W,), int64, passes since.
        flat: (W,), bool, slots that needed a gradient and got one that is 0 everywhere.
        lost: (W,), bool, slots whose logits were NaN; their logits are given as 0.
        stuck: (W,), bool, slots whose gradient was not finite; it is given as 0.
    """

    def __init__(
        self,
        model: nn.Module,
        index: Tensor,
        classes: int,
        forwards_before: Tensor | None = None,
        backwards_before: Tensor | None = None,
    ) -> None:
        self.model = model
        self.index = index
        self.classes = classes
        zeros = torch.zeros_like(index)
        self.forwards, self.backwards = zeros.clone(), zeros.clone()
        self.flat, self.lost, self.stuck = zeros.bool(), zeros.bool(), zeros.bool()
        self.broken = False
        self._before = (
            zeros if forwards_before is None else forwards_before,
            zeros if backwards_before is None else backwards_before,
        )
        self._x = torch.empty(0)

    def kept(self) -> dict[str, Any]:
        """Return what the passes so far have come to, for `restore`."""
        names = ("forwards", "backwards", "flat", "lost", "stuck", "broken")
        return {name: getattr(self, name) for name in names}

    def restore(self, kept: dict[str, Any]) -> None:
        """Forget the passes since ``kept``."""
        vars(self).update(kept)

    def forward(self, x: Tensor, *, differentiable: bool = True) -> Tensor:
        """Return logits (W, K) of ``x`` (W, C, H, W); ``differentiable`` allows a `backward`.

        Raises:
            ModelError: the shape is wrong, or a logit of an image's first pass is NaN.
        """
        self._x = x.detach().requires_grad_(differentiable)
        with torch.set_grad_enabled(differentiable):
            logits: Tensor = self.model(self._x)
        if logits.ndim != 2 or len(logits) != len(x) or logits.shape[1] < self.classes:
            raise ModelError(
                f"logits have shape {tuple(logits.shape)}; "
                f"({len(x)}, K) with K at least {self.classes} expected"
            )
        bad = logits.isnan().any(1)
        if bad.any():
            self._refuse(bad & (self._before[0] + self.forwards == 0), "logits are NaN")
            self.broken = True
            self.lost = self.lost | bad
            logits = logits.masked_fill(bad[:, None], 0)
        self.forwards = self.forwards + 1
        return logits

    def ask(self, x: Tensor, where: Tensor) -> Tensor:
        """Return logits (W, m, K) of m images a slot, ``x`` (W, m, C, H, W), without gradients.

        ``where`` (W,), bool, says which slots need them; some must. Slots that hold copies of an
        image are asked about once, and the images of all slots fill passes of the usual width
        together: a few slots with many images cost few passes. Each counts as one forward pass of
        its slot.
        """
        width, each = x.shape[:2]
        first: dict[int, int] = {}  # row of each image that is asked about
        index = self.index.tolist()
        for row in where.nonzero().flatten().tolist():
            first.setdefault(index[row], row)
        place = {image: i for i, image in enumerate(first)}
        asked = x[list(first.values())].flatten(0, 1)
        with torch.no_grad():
            parts = [
                self.model(padded(part, width))[: len(part)] for part in torch.split(asked, width)
            ]
        said = torch.cat(parts)
        logits = said.view(len(first), each, said.shape[1])
        logits = logits[[place.get(image, 0) for image in index]]
        bad = where & logits.isnan().flatten(1).any(1)
        if bad.any():
            self.broken = True
            self.lost = self.lost | bad
            logits = logits.masked_fill(bad[:, None, None], 0)
        self.forwards = self.forwards + each * where
        return logits

    def backward(self, loss: Tensor, where: Tensor, *, last: bool = True) -> Tensor:
        """Return the gradient (W, C, H, W) of ``loss`` (W,) at the images of the last `forward`.

        ``where`` (W,), bool, says which slots need it. If none does, nothing is run and the
        gradient is 0; else the rows of the others are valid but not counted. Unless it is the
        ``last`` one, other losses of the same `forward` may follow.

        Raises:
            ModelError: the first gradient that an image needs is NaN or infinite.
        """
        if not where.any():
            return torch.zeros_like(self._x)
        (gradient,) = torch.autograd.grad(loss.sum(), self._x, retain_graph=not last)
        sizes = torch.linalg.vector_norm(gradient, 1, dim=(1, 2, 3))  # keeps NaN and infinity
        self.flat = self.flat | where & (sizes == 0)
        bad = where & ~sizes.isfinite() & ~self.lost
        if bad.any():
            first = self._before[1] + self.backwards == 0
            self._refuse(bad & first, "gradients are not finite")
            self.broken = True
            self.stuck = self.stuck | bad
        if self.broken:
            gradient = gradient.masked_fill((self.lost | self.stuck).view(-1, 1, 1, 1), 0)
        self.backwards = self.backwards + where
        return gradient

    def _refuse(self, bad: Tensor, reason: str) -> None:
        """Raise ModelError if any slot is ``bad`` (W,)."""
        if bad.any():
            images = set(self.index[bad].tolist())  # a set, as empty slots hold copies of an image
            raise ModelError(f"{reason} for {len(images)} images, the first at {min(images)}")
