"""AugMix (Hendrycks, Mu, Cubuk, Zoph, Gilmer, Lakshminarayanan 2020, arXiv 1912.02781)."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._draws import numpy_generator
from robusteval.training._operations import chained


def augmix(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    severity: float = 3.0,
    width: int = 3,
    depth: int = 3,
    alpha: float = 1.0,
    consistency: float = 12.0,
) -> Tensor:
    """Return the cross-entropy of clean images plus ``consistency`` times a divergence.

    It is the Jensen-Shannon divergence of what the model says about three views: the image and two
    mixtures of it (section 3 and algorithm 1 of the paper). All go through the model in one pass.
    A mixture is the sum of ``width`` chains of up to ``depth`` operations, weighted by
    Dirichlet(``alpha``), and of the image itself, weighted by Beta(``alpha``, ``alpha``).
    """
    twice = images.repeat(2, 1, 1, 1)
    mixed = mixtures(twice, severity=severity, width=width, depth=depth, alpha=alpha, rng=rng)
    logits = model(torch.cat([images, mixed])).view(3, len(images), -1)
    return F.cross_entropy(logits[0], labels) + consistency * jensen_shannon(logits)


def mixtures(
    images: Tensor, *, severity: float, width: int, depth: int, alpha: float, rng: torch.Generator
) -> Tensor:
    """Return ``images`` (N, C, H, W) blended with chains of operations on them."""
    draws = numpy_generator(rng)
    shares = torch.from_numpy(draws.dirichlet([alpha] * width, len(images))).to(images)
    own = torch.from_numpy(draws.beta(alpha, alpha, len(images))).to(images).view(-1, 1, 1, 1)
    chains = chained(images.repeat(width, 1, 1, 1), severity=severity, depth=depth, rng=rng)
    changed = torch.einsum("vnchw,nv->nchw", chains.view(width, *images.shape), shares)
    return own * images + (1 - own) * changed


def jensen_shannon(logits: Tensor) -> Tensor:
    """Return the mean over images of the divergence, in nats, between views (V, N, K)."""
    log_p = logits.log_softmax(2)
    log_mean = log_p.logsumexp(0) - math.log(len(logits))
    return (log_p.exp() * (log_p - log_mean)).sum(2).mean()
