"""What a VQ-VAE is trained for; fits the training loop that classifiers have."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.generators.vq_vae import VectorQuantised


def reconstruction(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    commitment: float = 0.25,
    decay: float = 0.98,
) -> Tensor:
    """Return the mean of |e| + e^2 over pixels, plus ``commitment`` times (z - code)^2.

    e is what the round trip of ``images`` (N, C, H, W) misses, on the scale 0 to 1; the first term
    keeps edges sharper than the square alone. The codebook learns beside it, by running means with
    ``decay``. Labels are not looked at. To be given to `robusteval.training._loop.train`.

    Source: van den Oord et al. 2017, arXiv 1711.00937, equation 3, with the running means of its
        appendix in place of the second term, and ``commitment`` from section 3.2; ``decay`` and |e|
        are this project's.
    """
    generator = cast(VectorQuantised, model)
    latents = generator.encode(images)
    generator.codebook.learn(latents.detach(), rng=rng, decay=decay)
    codes = generator.quantised(latents).detach()
    missed = generator.unbounded(latents) - images
    return missed.abs().mean() + missed.square().mean() + commitment * F.mse_loss(latents, codes)
