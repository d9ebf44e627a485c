"""What a model says about images, streamed and checked."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from robusteval.batches import WIDTH, as_tensor, predict
from robusteval.models._errors import ModelError
from robusteval.models._features import WithFeatures

CHUNK = 1 << 26  # bytes of images in memory at a time, four times as many when they are floats


def evaluate(
    model: nn.Module,
    images: NDArray[np.uint8] | Iterable[NDArray[np.uint8]],
    *,
    classes: int,
    device: str = "cpu",
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    keep: Callable[[NDArray[np.float32]], None] | None = None,
) -> NDArray[np.float32]:
    """Return logits (N, K) float32 of ``images`` (N, H, W, C) uint8, or of blocks of them.

    ``keep`` gets the features (n, D) of the images, part by part; ``model`` is `WithFeatures` then.

    Raises:
        ModelError: the logits are not N x ``classes`` finite numbers.
    """
    parts = []
    for chunk in _slices(images) if isinstance(images, np.ndarray) else _gathered(images):
        batch = as_tensor(chunk).to(device)
        parts.append(answers(model, batch, classes, batch_size, keep).cpu().numpy())
        if progress:
            progress(len(batch))
    return np.concatenate(parts)


def answers(
    model: nn.Module,
    images: torch.Tensor,
    classes: int,
    batch_size: int,
    keep: Callable[[NDArray[np.float32]], None] | None = None,
) -> torch.Tensor:
    """Return logits (N, K) of ``images`` (N, C, H, W); arguments and errors as of `evaluate`."""
    said = predict(model, images, batch_size=batch_size)
    if keep is None:
        return checked(said, len(images), classes)
    assert isinstance(model, WithFeatures)
    logits = checked(said[:, : model.outputs], len(images), classes)
    keep(said[:, model.outputs :].float().cpu().numpy())
    return logits


def _slices(images: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    """Yield ``images`` (N, H, W, C) in whole passes that do not fill the memory."""
    step = WIDTH * max(1, CHUNK // (WIDTH * max(1, images[:1].nbytes)))
    for start in range(0, len(images), step):
        yield images[start : start + step]


def _gathered(blocks: Iterable[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
    """Yield ``blocks`` put together to whole passes, so that few images are padding."""
    waiting: list[NDArray[np.uint8]] = []
    for block in blocks:
        waiting.append(block)
        count = sum(map(len, waiting))
        if count >= WIDTH:
            whole = np.concatenate(waiting)
            full = count // WIDTH * WIDTH
            yield from _slices(whole[:full])
            waiting = [whole[full:]] if count > full else []
    if waiting:
        yield np.concatenate(waiting)


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
