"""TRADES (Zhang, Yu, Jiao, Xing, El Ghaoui, Jordan 2019, arXiv 1901.08573)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._ascent import ascended, ball, budget_at

START_SPREAD = 0.001  # of the Gaussian start: at the image itself the divergence has no slope


def trades(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    eps: float = 0.1,
    steps: int = 7,
    relative_step: float = 0.25,
    beta: float = 6.0,
    warm_up: float = 0.3,
) -> Tensor:
    """Return the cross-entropy of clean images plus ``beta`` KL(p(x) || p(x')).

    x' is where, within L-infinity ``eps`` of x (scale 0 to 1), ``steps`` gradient-sign steps of
    ``relative_step`` times the budget find that divergence largest (algorithm 1; ``beta`` is
    1 / lambda of the paper). The budget grows as in adversarial training.
    """
    clean = model(images)
    fixed = clean.detach().log_softmax(1)
    budget = budget_at(done, eps=eps, warm_up=warm_up)
    low, high = ball(images, budget)
    noise = START_SPREAD * torch.randn(images.shape, generator=rng)
    attacked = ascended(
        lambda moved: _divergence(fixed, model(moved)),
        (images + noise.to(images.device)).clamp(low, high),
        low,
        high,
        steps=steps,
        step_size=relative_step * budget,
    )
    return F.cross_entropy(clean, labels) + beta * _divergence(
        clean.log_softmax(1), model(attacked)
    )


def _divergence(log_p: Tensor, logits: Tensor) -> Tensor:
    """Return the mean over images of KL(p || softmax(``logits``)), in nats."""
    return F.kl_div(logits.log_softmax(1), log_p, reduction="batchmean", log_target=True)
