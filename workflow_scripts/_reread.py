"""Reading adversarial images back from their shards and asking a model about them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robusteval.attacks._coding import read_images
from robusteval.files import sha256
from robusteval.models._evaluate import answers


def reread(
    model: nn.Module,
    folder: Path,
    shards: dict[str, Any],
    changes: Iterable[Callable[[Tensor], Tensor]],
    *,
    classes: int,
    batch_size: int,
    device: str,
    progress: Callable[[int], None],
    keep: Callable[[NDArray[np.float32]], None] | None = None,
) -> list[Tensor]:
    """Return, for each of ``changes`` of the images, a model's logits (N, K) on all ``shards``.

    ``shards`` are named with their SHA-256; their images follow each other in that order. ``keep``
    is that of `robusteval.models._evaluate.evaluate`.

    Raises:
        ValueError: a shard's bytes are not those that its card was written for.
        ModelError: the model does not give a logit a class and image.
    """
    changes = list(changes)
    said: list[list[Tensor]] = [[] for _ in changes]
    for name, expected in shards.items():
        shard = folder / f"{name}.safetensors"
        if not shard.is_file() or sha256(shard) != expected:
            raise ValueError(
                f"{shard}: missing or not the file that card.json was written for; delete "
                f"{folder} and run again"
            )
        images = torch.from_numpy(read_images(shard))
        for parts, change in zip(said, changes, strict=True):
            batch = change(images).to(device)
            parts.append(answers(model, batch, classes, batch_size, keep).cpu())
            progress(len(images))
    return [torch.cat(parts) for parts in said]
