"""The class that a targeted attack is to reach, image by image; never the image's label."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor


def chosen(
    kind: str,
    logits: Tensor,
    labels: Tensor,
    generators: Sequence[np.random.Generator] | None,
) -> Tensor:
    """Return a class (N,), int64, for images with ``logits`` (N, K) and ``labels`` (N,).

    Args:
        kind: random, drawn evenly by the image's own generator; least_likely, the smallest logit;
            runner_up, the largest logit.

    Source: Su et al., "Is robustness the cost of accuracy?", ECCV 2018, and its released code.
    """
    if kind == "random":
        assert generators is not None
        draws = [int(generator.integers(logits.shape[1] - 1)) for generator in generators]
        drawn = torch.tensor(draws, dtype=torch.int64, device=labels.device)
        return drawn + (drawn >= labels)
    worst = torch.inf if kind == "least_likely" else -torch.inf
    others = logits.scatter(1, labels[:, None], worst)
    return others.argmin(1) if kind == "least_likely" else others.argmax(1)


def check_targets(targets: Tensor, labels: Tensor) -> None:
    """Raise ValueError, with the image, where ``targets`` (N,) given by hand are not usable."""
    if targets.dtype != torch.int64 or targets.shape != labels.shape:
        raise ValueError(
            f"targets are {targets.dtype} of shape {tuple(targets.shape)}; "
            f"torch.int64 of shape ({len(labels)},) expected"
        )
    if (targets < 0).any():
        raise ValueError(f"target {int(targets.min())}: at least 0 expected")
    if (same := (targets == labels).nonzero()).numel():
        image = int(same[0])
        raise ValueError(
            f"image {image}: target {int(targets[image])} is its label; another class expected"
        )
