"""What every generator can do: encode, decode, round trip, latent step."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn


class Generator(nn.Module, ABC):
    """An image model with a latent space in which a search can walk.

    Latents are those after the encoder and before any quantisation; `decode` quantises them itself
    where the generator does, and lets gradients through. Images are float32 (N, C, H, W) in [0, 1].
    In evaluation mode each image is treated by itself.
    """

    @abstractmethod
    def encode(self, images: Tensor) -> Tensor:
        """Return the latents (N, D, h, w) of ``images`` (N, C, H, W)."""

    @abstractmethod
    def decode(self, latents: Tensor) -> Tensor:
        """Return the images (N, C, H, W), in [0, 1], of ``latents`` (N, D, h, w)."""

    def round_trip(self, images: Tensor) -> Tensor:
        """Return ``images`` (N, C, H, W) as the generator draws them."""
        return self.decode(self.encode(images))

    forward = round_trip

    def quantised(self, latents: Tensor) -> Tensor:
        """Return what the decoder is given of ``latents`` (N, D, h, w); here the latents."""
        return latents

    def step(self, latents: Tensor, by: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return ``latents`` moved ``by`` (N, D, h, w), elsewhere than at ``mask`` not by a bit.

        ``mask`` (D, h, w), bool, holds the dimensions that may move; None stands for all of them.
        """
        moved = latents + by
        return moved if mask is None else torch.where(mask, moved, latents)


class _StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, replaced: Tensor) -> Tensor:
        return replaced.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None


def straight_through(values: Tensor, replaced: Tensor) -> Tensor:
    """Return ``replaced``, to the bit, with the gradient of ``values`` of the same shape.

    The usual ``values + (replaced - values).detach()`` rounds, and another image than the one that
    is stored would be judged.
    """
    result: Tensor = _StraightThrough.apply(values, replaced)
    return result
