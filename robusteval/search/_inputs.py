"""What a search asks of its arguments, and of the first answers of its networks."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from robusteval.attacks._goal import ANY_OTHER
from robusteval.attacks._inputs import check_inputs
from robusteval.models._errors import ModelError


def check_search(
    networks: dict[str, nn.Module | None],
    images: Tensor,
    labels: Tensor,
    generators: Sequence[np.random.Generator] | None,
    budget: int,
    step_size: float,
) -> None:
    """Raise ValueError, with the value and what was expected, where an argument is not usable."""
    model = networks["model"]
    assert model is not None
    if not len(images):
        raise ValueError("no image to search from: expected at least one")
    check_inputs(model, images, labels, generators, ANY_OTHER)
    for name, network in networks.items():
        if network is not None and any(part.training for part in network.modules()):
            raise ValueError(f"the {name} is in training mode; call {name}.eval() first")
    if not (budget >= 0 and step_size > 0):
        raise ValueError(
            f"budget {budget}, step_size {step_size}: at least 0 and more than 0 expected"
        )


def check_latents(latents: Tensor, decoded: Tensor, images: Tensor, mask: Tensor | None) -> None:
    """Raise ValueError where the generator's images or the ``mask`` have another shape."""
    if decoded.shape[1:] != images.shape[1:]:
        raise ValueError(
            f"the generator returns images of shape {tuple(decoded.shape[1:])} for images of "
            f"{tuple(images.shape[1:])}: give it an adapter, or train one of that size"
        )
    if mask is not None and (mask.dtype != torch.bool or mask.shape != latents.shape[1:]):
        raise ValueError(
            f"the mask is {mask.dtype} of shape {tuple(mask.shape)}: torch.bool of shape "
            f"{tuple(latents.shape[1:])} expected, as the generator's latents have"
        )


def check_logits(logits: Tensor, labels: Tensor) -> None:
    """Raise ModelError where logits (W, K) have another shape or too few classes."""
    classes = int(labels.max()) + 1
    if logits.ndim != 2 or len(logits) != len(labels) or logits.shape[1] < classes:
        raise ModelError(
            f"logits have shape {tuple(logits.shape)}; ({len(labels)}, K) with K at least "
            f"{classes} expected"
        )
