"""Images moved uphill on a loss within a budget: the inner loop of adversarial training."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def ascended(
    loss: Callable[[Tensor], Tensor],
    start: Tensor,
    low: Tensor,
    high: Tensor,
    *,
    steps: int,
    step_size: float,
) -> Tensor:
    """Return ``start`` (N, C, H, W) after ``steps`` gradient-sign steps up ``loss``.

    It stays between the images ``low`` and ``high``. The gradients of the model's weights stay as
    they are; the result carries none.
    """
    moved = start
    for _ in range(steps):
        moved = moved.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(loss(moved), moved)
        moved = (moved.detach() + step_size * gradient.sign()).clamp(low, high)
    return moved.detach()


def attacked(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    budget: float,
    *,
    rng: torch.Generator,
    steps: int,
    step_size: float,
) -> Tensor:
    """Return ``images`` moved up their cross-entropy from a uniform start within ``budget``."""
    low, high = ball(images, budget)
    start = 2 * torch.rand(images.shape, generator=rng) - 1
    return ascended(
        lambda moved: F.cross_entropy(model(moved), labels),
        (images + budget * start.to(images.device)).clamp(low, high),
        low,
        high,
        steps=steps,
        step_size=step_size,
    )


def ball(images: Tensor, budget: float) -> tuple[Tensor, Tensor]:
    """Return the smallest and largest pixels within ``budget`` of ``images`` and within 0 to 1."""
    return (images - budget).clamp(min=0), (images + budget).clamp(max=1)


def budget_at(done: float, *, eps: float, warm_up: float) -> float:
    """Return the budget after the share ``done`` of the training: linear from 0, then ``eps``."""
    return eps * (1.0 if done >= warm_up else done / warm_up)
