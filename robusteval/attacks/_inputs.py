"""What every attack asks of its arguments."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from robusteval.attacks._goal import Goal
from robusteval.attacks._targets import check_targets


def check_inputs(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    generators: Sequence[np.random.Generator] | None,
    goal: Goal,
) -> None:
    """Raise ValueError, with the value and what was expected, where an argument is not usable."""
    if images.dtype != torch.float32 or images.ndim != 4:
        raise ValueError(
            f"images are {images.dtype} of shape {tuple(images.shape)}; "
            "torch.float32 of shape (N, C, H, W) expected"
        )
    inside = (images >= 0) & (images <= 1)  # false for NaN, too
    if not inside.all():
        outside = images[~inside]
        raise ValueError(f"{len(outside)} pixels are outside [0, 1], such as {outside[0].item()}")
    if labels.dtype != torch.int64 or labels.shape != images.shape[:1]:
        raise ValueError(
            f"labels are {labels.dtype} of shape {tuple(labels.shape)}; "
            f"torch.int64 of shape ({len(images)},) expected"
        )
    if (labels < 0).any():
        raise ValueError(f"label {int(labels.min())}: at least 0 expected, an attack needs a class")
    if generators is not None and len(generators) != len(images):
        raise ValueError(
            f"{len(generators)} generators for {len(images)} images: one each expected"
        )
    if goal.target == "random" and generators is None:
        raise ValueError("a random target needs generators, one an image")
    if isinstance(goal.target, Tensor):
        check_targets(goal.target, labels)
    if any(module.training for module in model.modules()):
        raise ValueError("the model is in training mode; call model.eval() first")
