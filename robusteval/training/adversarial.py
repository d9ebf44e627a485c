"""Adversarial training (Madry et al. 2018, arXiv 1706.06083), with one step from a random start
by default (Wong, Rice, Kolter 2020, arXiv 2001.03994)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._ascent import ascended, ball, budget_at


def adversarial(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    eps: float = 0.1,
    steps: int = 1,
    relative_step: float = 1.25,
    warm_up: float = 0.3,
) -> Tensor:
    """Return the cross-entropy of images attacked within L-infinity ``eps`` (scale 0 to 1).

    ``steps`` gradient-sign steps of ``relative_step`` times the budget from a uniform start;
    the budget grows linearly from 0 during the first ``warm_up`` share of the training, without
    which small networks settle on a constant answer. PGD is ``steps`` 7, ``relative_step`` 0.25.
    """
    budget = budget_at(done, eps=eps, warm_up=warm_up)
    low, high = ball(images, budget)
    start = 2 * torch.rand(images.shape, generator=rng) - 1
    attacked = ascended(
        lambda moved: F.cross_entropy(model(moved), labels),
        (images + budget * start.to(images.device)).clamp(low, high),
        low,
        high,
        steps=steps,
        step_size=relative_step * budget,
    )
    return F.cross_entropy(model(attacked), labels)
