"""Model passes at one fixed width, so that an image's result does not depend on its neighbours.

Kernels round differently at odd batch sizes: on one processor, sizes 1 and 7 differed from 32 by
up to 4e-6 in the logits, enough to flip the sign of a gradient, while multiples of 16 agreed bit
for bit up to 64. Every pass is therefore padded to a fixed width that is a multiple of 16. On a CPU
it is at most 64, so that there the bits do not depend on the batch size asked for either.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robusteval.memory import FAILURES, fitting, narrower

WIDTH = 64  # images a pass; widths 16, 32 and 64 agree, 64 fills two cores well enough
CPU_LIMIT = 64  # agreement of larger widths was not established on every processor


def exact() -> None:
    """Make float32 passes exact and repeatable: no TF32, the same kernels each time."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True


def as_tensor(images: NDArray[np.uint8]) -> Tensor:
    """Return ``images`` (N, H, W, C) uint8 as float32 (N, C, H, W) in [0, 1]."""
    return torch.from_numpy(images.transpose(0, 3, 1, 2).astype(np.float32, order="C")) / 255


def fixed_width(batch_size: int, device: torch.device) -> int:
    """Return the width that a pass really has: ``batch_size`` rounded up to a multiple of 16.

    On a CPU it is at most ``CPU_LIMIT``.
    """
    if batch_size < 1:
        raise ValueError(f"batch size {batch_size}: at least 1 expected")
    width = -(-batch_size // 16) * 16
    return min(width, CPU_LIMIT) if device.type == "cpu" else width


def padded(batch: Tensor, width: int) -> Tensor:
    """Return ``batch`` (N, ...) filled up to (width, ...) with copies of its last row."""
    assert 0 < len(batch) <= width, (len(batch), width)
    missing = width - len(batch)
    return torch.cat([batch, batch[-1:].expand(missing, *batch.shape[1:])]) if missing else batch


@torch.inference_mode()
def predict(model: nn.Module, images: Tensor, *, batch_size: int = WIDTH) -> Tensor:
    """Return logits (N, K), float32, of ``images`` (N, C, H, W), float32 in [0, 1].

    A pass that does not fit in memory is run again at half the width.
    """
    width = fitting(model, fixed_width(batch_size, images.device))
    parts: list[Tensor] = []
    start = 0
    while start < len(images):
        chunk = images[start : start + width]
        try:
            parts.append(model(padded(chunk, width))[: len(chunk)])
        except FAILURES as error:
            width = narrower(model, width, error)
        else:
            start += len(chunk)
    return torch.cat(parts)
