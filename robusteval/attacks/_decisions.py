"""The boundary walk of the package foolbox on one image that asks a model for its answers."""

from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from robusteval.attacks._norms import projected
from robusteval.attacks._questions import Asking, AstrayError

HALVINGS = 10  # of the way from the clean image to the first wrong one


class _EnoughError(Exception):
    """The queries are spent, or the image is near enough."""


class _Decisions:
    """A model of foolbox that counts its queries and keeps the nearest wrong image (1, C, H, W)."""

    def __init__(
        self, model: Asking, x: Tensor, label: Tensor, queries: int, near: float | None
    ) -> None:
        from foolbox.types import Bounds

        self.bounds = Bounds(0, 1)
        self.nearest: Tensor | None = None
        self.last = x
        self._model, self._x, self._label = model, x, label
        self._left, self._near, self._distance = queries, near, float("inf")

    def wrong(self, x: Tensor) -> bool:
        """Return whether the model is wrong about ``x``."""
        return int(self.logits(x).argmax(1)) != int(self._label)

    def logits(self, x: Tensor) -> Tensor:
        """Return the logits (1, K) of ``x``.

        Raises:
            _EnoughError: there is no query left, or the nearest wrong image is near enough.
        """
        if not self._left or (self._near is not None and self._distance <= self._near):
            raise _EnoughError
        self._left -= 1
        logits = self._model(x)
        self.last = x.clone()
        if int(logits.argmax(1)) != int(self._label):
            distance = float(torch.linalg.vector_norm(x - self._x))
            if distance < self._distance:
                self.nearest, self._distance = x.clone(), distance
        return logits

    def __call__(self, inputs: Any) -> Any:
        """Return the logits of an eagerpy tensor as foolbox wants them."""
        from eagerpy.astensor import astensor

        return astensor(self.logits(inputs.raw))


def walked(
    model: Asking,
    x: Tensor,
    label: Tensor,
    *,
    seed: int,
    queries: int,
    draws: int,
    eps: float | None,
    **steps: Any,
) -> None:
    """Walk along the decision boundary towards ``x`` (1, C, H, W), of class ``label`` (1,).

    Draws from torch's global generator. With ``eps``, the image asked about last is the nearest
    wrong one brought into the ball; without, the nearest wrong one asked about is the result.
    """
    torch.manual_seed(seed)
    with torch.no_grad():
        if int(model(x).argmax(1)) != int(label):
            return
        decisions = _Decisions(model, x, label, queries, eps)
        with suppress(_EnoughError, AstrayError):
            _walk(decisions, x, label, draws, **steps)
        if eps is not None:
            found = decisions.last if decisions.nearest is None else decisions.nearest
            model(projected(found, x, eps, "l2"))


def _walk(decisions: _Decisions, x: Tensor, label: Tensor, draws: int, **steps: Any) -> None:
    from foolbox.attacks.boundary_attack import BoundaryAttack

    start = _start(decisions, x, draws)
    if start is not None:
        BoundaryAttack(**steps).run(decisions, x, label, starting_points=start)  # type: ignore[arg-type]


def _start(decisions: _Decisions, x: Tensor, draws: int) -> Tensor | None:
    """Return a wrong image near the boundary, on the way from ``x`` to one of noise; or None."""
    noise = next(
        (n for n in (torch.rand_like(x) for _ in range(draws)) if decisions.wrong(n)), None
    )
    if noise is None:
        return None
    low, high, found = 0.0, 1.0, noise
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        between = ((1 - middle) * x + middle * noise).clamp(0, 1)
        if decisions.wrong(between):
            high, found = middle, between
        else:
            low = middle
    return found
