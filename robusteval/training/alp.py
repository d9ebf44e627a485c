"""Adversarial logit pairing (Kannan, Kurakin, Goodfellow 2018, arXiv 1803.06373)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._ascent import attacked, budget_at


def alp(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    eps: float = 0.1,
    steps: int = 7,
    relative_step: float = 0.25,
    weight: float = 0.5,
    warm_up: float = 0.3,
) -> Tensor:
    """Return half the cross-entropy of clean and of attacked images each, plus ``weight`` times the
    mean square of the difference of their logits (section 4).

    The images are attacked as in adversarial training, and the budget grows as there.
    """
    budget = budget_at(done, eps=eps, warm_up=warm_up)
    moved = attacked(
        model, images, labels, budget, rng=rng, steps=steps, step_size=relative_step * budget
    )
    clean, attack = model(images), model(moved)
    mixed = (F.cross_entropy(clean, labels) + F.cross_entropy(attack, labels)) / 2
    return mixed + weight * F.mse_loss(clean, attack)
