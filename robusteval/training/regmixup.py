"""RegMixup (Pinto, Yang, Lim, Torr, Dokania 2022, arXiv 2206.14502)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._pairs import drawn_pairs, pair_loss


def regmixup(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    alpha: float = 20.0,
    eta: float = 1.0,
) -> Tensor:
    """Return the cross-entropy of ``images`` (N, C, H, W) plus ``eta`` times their mixup loss.

    A large ``alpha`` keeps the weight, from Beta(``alpha``, ``alpha``), near a half: the blended
    images lie far from the clean ones, which keep a loss of their own (section 3 of the paper).
    Both go through the model in one pass, so that batch norm sees the two together.
    """
    weight, partner = drawn_pairs(len(images), alpha=alpha, rng=rng)
    partner = partner.to(images.device)
    blended = weight * images + (1 - weight) * images[partner]
    clean, mixed = model(torch.cat([images, blended])).chunk(2)
    return F.cross_entropy(clean, labels) + eta * pair_loss(mixed, labels, labels[partner], weight)
