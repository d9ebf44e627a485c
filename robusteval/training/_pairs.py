"""Pairs of images within a batch, and the loss of an image that shows two of them."""

import torch
from torch import Tensor
from torch.nn import functional as F

from robusteval.training._draws import numpy_generator


def drawn_pairs(count: int, *, alpha: float, rng: torch.Generator) -> tuple[float, Tensor]:
    """Return one weight from Beta(``alpha``, ``alpha``) and a partner for each of ``count``."""
    weight = float(numpy_generator(rng).beta(alpha, alpha))
    return weight, torch.randperm(count, generator=rng)


def pair_loss(logits: Tensor, labels: Tensor, others: Tensor, weight: float) -> Tensor:
    """Return the cross-entropy of ``logits`` (N, K) with targets blended of two labels (N,) each.

    ``weight`` is the share of ``labels``; that of ``others`` is what is left of 1.
    """
    own, other = F.cross_entropy(logits, labels), F.cross_entropy(logits, others)
    return weight * own + (1 - weight) * other
