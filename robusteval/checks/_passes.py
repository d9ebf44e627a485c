"""Passes of a few images that leave no trace in the model or in the random generators."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from robusteval.batches import as_tensor, padded
from robusteval.checks._subject import Subject
from robusteval.models._evaluate import checked

COUNT = 16  # images a pass: the smallest width at which passes agreed bit for bit

# Shares of the largest logit. Float32 keeps 6e-8 of a number, and sums in another order moved
# logits by 4e-6 at most where that was measured; float16 and TF32 keep 5e-4 and bfloat16 4e-3 of a
# number, which many layers make more of; noise and other statistics move logits as a rule by more.
ROUNDING, DIFFERENT = 1e-4, 1e-2


def first(subject: Subject) -> tuple[Tensor, int]:
    """Return images (16, C, H, W) on the subject's device, and how many of them are real.

    Where the subject has fewer than 16 images, copies of the last fill the batch.
    """
    images = as_tensor(subject.images[:COUNT])
    return padded(images, COUNT).to(subject.device), len(images)


@contextmanager
def repeatable(subject: Subject) -> Iterator[None]:
    """Run a block in which random layers begin with the same numbers each time.

    Afterwards generators and buffers are as before: batch norm in training mode changes its own.
    """
    cuda = torch.device(subject.device).type == "cuda"
    before = [(buffer, buffer.clone()) for buffer in subject.model.buffers()]
    with torch.random.fork_rng(range(torch.cuda.device_count()) if cuda else []):
        torch.manual_seed(0)  # a model draws from the global generators, whatever we prefer
        try:
            yield
        finally:
            with torch.no_grad():
                for buffer, value in before:
                    if not torch.equal(buffer, value):
                        buffer.copy_(value)


@torch.inference_mode()
def forward(subject: Subject, images: Tensor) -> Tensor:
    """Return logits (N, K), float64 on the CPU, of ``images`` (N, C, H, W).

    Raises:
        ModelError: they are not N x K finite numbers.
    """
    logits: Tensor = subject.model(images)
    return checked(logits, len(images), subject.classes).double().cpu()


def difference(one: Tensor, other: Tensor) -> float:
    """Return the largest difference of two batches of logits, as a share of the largest logit."""
    largest = float((one - other).abs().max())
    return largest / float(torch.stack([one, other]).abs().max()) if largest else 0.0
