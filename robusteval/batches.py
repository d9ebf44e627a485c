"""Model passes at one fixed width, so that an image's result does not depend on its neighbours.

Kernels round differently at odd batch sizes: on one processor, sizes 1 and 7 differed from 32 by
up to 4e-6 in the logits, enough to flip the sign of a gradient, while multiples of 16 agreed bit
for bit. Every pass is therefore padded to a fixed width that is a multiple of 16.
"""

import torch
from torch import Tensor, nn

WIDTH = 64  # images a pass; widths 16, 32 and 64 agree, 64 fills two cores well enough


def fixed_width(batch_size: int) -> int:
    """Return ``batch_size`` rounded up to a multiple of 16, the width that a pass really has."""
    if batch_size < 1:
        raise ValueError(f"batch size {batch_size}: at least 1 expected")
    return -(-batch_size // 16) * 16


def padded(batch: Tensor, width: int) -> Tensor:
    """Return ``batch`` (N, ...) filled up to (width, ...) with copies of its last row."""
    assert 0 < len(batch) <= width, (len(batch), width)
    missing = width - len(batch)
    return torch.cat([batch, batch[-1:].expand(missing, *batch.shape[1:])]) if missing else batch


@torch.inference_mode()
def predict(model: nn.Module, images: Tensor, *, batch_size: int = WIDTH) -> Tensor:
    """Return logits (N, K), float32, of ``images`` (N, C, H, W), float32 in [0, 1]."""
    width = fixed_width(batch_size)
    chunks = images.split(width)
    return torch.cat([model(padded(chunk, width))[: len(chunk)] for chunk in chunks])
