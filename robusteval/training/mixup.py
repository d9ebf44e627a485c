"""Mixup (Zhang, Cisse, Dauphin, Lopez-Paz 2018, arXiv 1710.09412)."""

import torch
from torch import Tensor, nn

from robusteval.training._pairs import drawn_pairs, pair_loss


def mixup(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    alpha: float = 0.2,
) -> Tensor:
    """Return the mixup loss: images and targets blended in pairs, one weight a batch.

    The weight is drawn from Beta(``alpha``, ``alpha``), as in the paper's section 2.
    """
    weight, partner = drawn_pairs(len(images), alpha=alpha, rng=rng)
    partner = partner.to(images.device)
    logits = model(weight * images + (1 - weight) * images[partner])
    return pair_loss(logits, labels, labels[partner], weight)
