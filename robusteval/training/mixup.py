"""Mixup (Zhang, Cisse, Dauphin, Lopez-Paz 2018, arXiv 1710.09412)."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F


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
    draw = np.random.Generator(np.random.Philox(int(torch.randint(2**62, (), generator=rng))))
    weight = float(draw.beta(alpha, alpha))
    partner = torch.randperm(len(images), generator=rng).to(images.device)
    logits = model(weight * images + (1 - weight) * images[partner])
    own, other = F.cross_entropy(logits, labels), F.cross_entropy(logits, labels[partner])
    return weight * own + (1 - weight) * other
