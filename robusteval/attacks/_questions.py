"""A model that asks for its answers, and one pass that answers many: logits, then gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from robusteval.attacks._goal import State
from robusteval.attacks._passes import Passes
from robusteval.attacks._task import Task


class AstrayError(Exception):
    """An attack asked about an image that is not finite."""


@dataclass(frozen=True)
class Question:
    """Asks for the logits (1, K) of ``x`` (1, C, H, W), or, given a ``slope``, for a gradient.

    The gradient (1, C, H, W) is that of the logits at ``x``, weighed by their ``slope`` (1, K). It
    may be asked for right after the logits, if that question was ``differentiable``.
    """

    x: Tensor
    differentiable: bool
    slope: Tensor | None = None


Ask = Callable[[Question], Tensor]


class Asking:
    """Stands for a model where one is expected: one image (1, C, H, W) to logits (1, K)."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._classes = 0

    def __call__(self, x: Tensor) -> Tensor:
        """Return the logits of ``x``; of no image at all, none.

        Raises:
            AstrayError: ``x`` is not finite.
        """
        if not len(x):
            return torch.zeros(0, self._classes)
        assert len(x) == 1, x.shape
        if not x.isfinite().all():
            raise AstrayError
        differentiable = torch.is_grad_enabled() and x.requires_grad
        logits: Tensor = _Answer.apply(x, self._ask, differentiable)
        self._classes = logits.shape[1]
        return logits


class _Answer(torch.autograd.Function):
    """Puts the questions; the graph ends here, so that no parameter ever gets a gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, ask: Ask, differentiable: bool) -> Tensor:
        x = x.detach().clone()  # some attacks go on to write into theirs
        ctx.x, ctx.ask = x, ask
        return ask(Question(x, differentiable))

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None, None]:
        return ctx.ask(Question(ctx.x, True, slopes[0])), None, None


def answered(
    state: State, passes: Passes, tasks: dict[int, Task[Question, Tensor]]
) -> tuple[Tensor, Tensor]:
    """Return the images asked about (W, C, H, W) and their logits (W, K), having answered.

    Each slot's task, found by the slot's index, comes to its next question about logits or to its
    end. Tasks whose answer is NaN or not finite are abandoned.
    """
    slots = [tasks[index] for index in state["index"].tolist()]
    first: dict[Task[Question, Tensor], int] = {}  # empty slots hold copies of an image
    for row, task in enumerate(slots):
        first.setdefault(task, row)
        if not task.begun:
            task.resume()
    # A task may be done already, where memory was short and the step is made again.
    asked = torch.cat([_of(task).x for task in slots]).to(state["x"].device)
    differentiable = any(_of(task).differentiable for task in first)
    logits = passes.forward(asked, differentiable=differentiable)
    said, lost = logits.detach().cpu(), passes.lost.tolist()
    for task, row in first.items():
        if lost[row]:
            task.abandon()
        elif not task.done and _of(task).slope is None:
            task.resume(said[row : row + 1].clone())
    slopes, where = torch.zeros_like(said), torch.zeros(len(slots), dtype=torch.bool)
    for row, task in enumerate(slots):
        slope = _of(task).slope
        if slope is not None and not task.done:
            slopes[row], where[row] = slope[0], True
    weighed = (logits * slopes.to(logits.device)).sum(1)
    gradient = passes.backward(weighed, where.to(logits.device)).cpu()
    stuck = passes.stuck.tolist()
    for task, row in first.items():
        if where[row] and stuck[row]:
            task.abandon()
        elif where[row]:
            task.resume(gradient[row : row + 1].clone())
    return asked, logits.detach()


def _of(task: Task[Question, Tensor]) -> Question:
    assert task.question is not None
    return task.question
