"""Label smoothing (Szegedy, Vanhoucke, Ioffe, Shlens, Wojna 2016, arXiv 1512.00567)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def label_smoothing(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    epsilon: float = 0.1,
) -> Tensor:
    """Return the cross-entropy of ``images`` (N, C, H, W) with softened targets.

    The share ``epsilon`` of each target is spread evenly over all classes, its own included
    (section 7 of the paper).
    """
    return F.cross_entropy(model(images), labels, label_smoothing=epsilon)
