"""Ensemble adversarial training (Tramèr et al. 2018, arXiv 1705.07204)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._ascent import ascended, ball, budget_at


def ensemble(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    others: Sequence[nn.Module],
    eps: float = 0.1,
    clean_weight: float = 0.5,
    warm_up: float = 0.3,
) -> Tensor:
    """Return the cross-entropy of clean images and of images attacked by one gradient-sign step.

    Those of each batch are attacked by the gradient of one model, drawn from the ``others``, which
    are trained already and stay as they are, and the one that is trained. The step has length
    ``eps``, L-infinity, pixel scale 0 to 1; clean images weigh ``clean_weight``, one half as in the
    paper. The budget grows as in adversarial training.
    """
    budget = budget_at(done, eps=eps, warm_up=warm_up)
    number = int(torch.randint(len(others) + 1, (), generator=rng))
    source = [*others, model][number]
    low, high = ball(images, budget)
    moved = ascended(
        lambda x: F.cross_entropy(source(x), labels), images, low, high, steps=1, step_size=budget
    )
    attack = F.cross_entropy(model(moved), labels)
    return clean_weight * F.cross_entropy(model(images), labels) + (1 - clean_weight) * attack
