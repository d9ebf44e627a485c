"""Passes of a generator over many images, at the width that a search has."""

from collections.abc import Callable

import torch
from torch import Tensor

from robusteval.batches import WIDTH, fixed_width, padded


@torch.no_grad()
def in_passes(
    function: Callable[[Tensor], Tensor], rows: Tensor, *, batch_size: int = WIDTH
) -> Tensor:
    """Return ``function`` of ``rows`` (N, ...), such as a generator's ``encode`` of images.

    Without gradients, and to the bit what a search of the same rows begins with.
    """
    width = fixed_width(batch_size, rows.device)
    parts = torch.split(rows, width)
    return torch.cat([function(padded(part, width))[: len(part)] for part in parts])
