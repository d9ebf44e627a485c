"""What is known of a model when it is checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from robusteval.batches import WIDTH
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import evaluate
from robusteval.records import OK


@dataclass(frozen=True)
class Subject:
    """A model, clean images with labels, and what the model says about them.

    ``model`` is on ``device``; ``images`` (N, H, W, C) uint8 and ``labels`` (N,) belong to
    ``logits`` (N, K) float32 in order; ``classes`` is the number of the model's classes and
    ``card`` its card. ``status`` is "ok", or the reason why there are no logits, then (0, 0).
    """

    model: nn.Module
    images: NDArray[np.uint8]
    labels: NDArray[np.int64]
    logits: NDArray[np.float32]
    classes: int
    card: Mapping[str, Any]
    device: str = "cpu"
    status: str = OK


def subject_of(
    model: nn.Module,
    images: NDArray[np.uint8],
    labels: NDArray[np.int64],
    *,
    card: Mapping[str, Any],
    device: str = "cpu",
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
) -> Subject:
    """Return the subject for ``model`` on ``images``; a model that fails on them is none the less.

    Raises:
        ValueError: there is no image, or not one label for each.
    """
    if not len(images) or labels.shape != (len(images),):
        raise ValueError(
            f"{len(images)} images and labels of shape {labels.shape}: expected one label for each "
            "of at least one image"
        )
    classes, logits, status = len(card["classes"]), np.empty((0, 0), np.float32), OK
    try:
        logits = evaluate(
            model, images, classes=classes, device=device, batch_size=batch_size, progress=progress
        )
    except Exception as error:  # whatever a model raises is what is wrong with it
        status = reason(error)
    return Subject(model, images, labels, logits, classes, card, device, status)


def reason(error: Exception) -> str:
    """Return an error in one line of at most 200 characters."""
    text = " ".join(str(error).split())
    name = "" if isinstance(error, ModelError) and text else f"{type(error).__name__}: "
    text = f"{name}{text}".removesuffix(": ")
    return text if len(text) <= 200 else f"{text[:197]}..."


def logits_of(subject: Subject) -> NDArray[np.float32]:
    """Return the clean logits (N, K).

    Raises:
        ModelError: there are none; the message says why.
    """
    if subject.status != OK:
        raise ModelError(subject.status)
    return subject.logits
