"""Adversarial training (Madry et al. 2018, arXiv 1706.06083), with one step from a random start
by default (Wong, Rice, Kolter 2020, arXiv 2001.03994)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._ascent import attacked, budget_at


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
    clean_weight: float = 0.0,
) -> Tensor:
    """Return the cross-entropy of images attacked within L-infinity ``eps`` (scale 0 to 1).

    ``steps`` gradient-sign steps of ``relative_step`` times the budget from a uniform start;
    the budget grows linearly from 0 during the first ``warm_up`` share of the training, without
    which small networks settle on a constant answer. PGD is ``steps`` 7, ``relative_step`` 0.25.
    Clean images weigh ``clean_weight``: none in Madry et al.; with one half, both are mixed.
    """
    budget = budget_at(done, eps=eps, warm_up=warm_up)
    moved = attacked(
        model, images, labels, budget, rng=rng, steps=steps, step_size=relative_step * budget
    )
    loss = F.cross_entropy(model(moved), labels)
    if not clean_weight:
        return loss
    return (1 - clean_weight) * loss + clean_weight * F.cross_entropy(model(images), labels)
