"""LogitNorm (Wei, Xie, Cheng, Feng, An, Li 2022, arXiv 2205.09310)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def logit_norm(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    tau: float = 0.04,
) -> Tensor:
    """Return the cross-entropy of the logits brought to the L2 norm 1 / ``tau``.

    f / (``tau`` |f|) in place of the logits f: the loss cannot fall by longer logits alone (section
    3 of the paper). The model is not changed and answers with logits of any length.
    """
    return F.cross_entropy(F.normalize(model(images), dim=1) / tau, labels)
