"""What a model says about images, streamed and checked."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from robusteval.batches import WIDTH, as_tensor, predict
from robusteval.models._errors import ModelError

CHUNK = 16 * WIDTH  # images in memory at a time


def evaluate(
    model: nn.Module,
    images: NDArray[np.uint8],
    *,
    classes: int,
    device: str = "cpu",
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.float32]:
    """Return logits (N, K) float32 of ``images`` (N, H, W, C) uint8.

    Raises:
        ModelError: the logits are not N x ``classes`` finite numbers.
    """
    parts = []
    for start in range(0, len(images), CHUNK):
        batch = as_tensor(images[start : start + CHUNK]).to(device)
        logits = checked(predict(model, batch, batch_size=batch_size), len(batch), classes)
        parts.append(logits.cpu().numpy())
        if progress:
            progress(len(batch))
    return np.concatenate(parts)


def checked(logits: torch.Tensor, n: int, classes: int) -> torch.Tensor:
    """Return ``logits`` if they are n x classes finite numbers.

    Raises:
        ModelError: they are not; the message says what they are.
    """
    if logits.shape != (n, classes):
        raise ModelError(
            f"the model returned logits of shape {tuple(logits.shape)} for {n} images of an "
            f"image set with {classes} classes"
        )
    if bad := int((~logits.isfinite()).any(1).sum()):
        raise ModelError(f"the model returned NaN or infinite logits for {bad} of {n} images")
    return logits.float()
