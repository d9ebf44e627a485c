"""Gaussian-noise augmentation (Ford, Gilmer, Carlini, Cubuk 2019, arXiv 1901.10513)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def noise(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    sigma: float = 0.1,
) -> Tensor:
    """Return the cross-entropy of images with noise added, clipped to [0, 1].

    The noise of each image has its own standard deviation, uniform in [0, ``sigma``].
    """
    scale = sigma * torch.rand((len(images), 1, 1, 1), generator=rng)
    shift = scale * torch.randn(images.shape, generator=rng)
    return F.cross_entropy(model((images + shift.to(images.device)).clamp(0, 1)), labels)
