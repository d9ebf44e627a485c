"""Normalisation as a layer of the model, so that images are [0, 1] everywhere outside it."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class Normalised(nn.Module):
    """``network`` after ``(x - mean) / std`` per channel; takes (N, C, H, W) in [0, 1]."""

    mean: Tensor
    std: Tensor

    def __init__(self, network: nn.Module, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Return logits (N, K)."""
        logits: Tensor = self.network((images - self.mean) / self.std)
        return logits
