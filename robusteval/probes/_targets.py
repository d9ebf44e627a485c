"""The classes that an image may be pushed towards."""

import numpy as np
import torch
from torch import Tensor

TARGETS = ("random", "least_likely", "runner_up")


def random_class(generator: np.random.Generator, classes: int, label: int) -> int:
    """Return a class drawn uniformly from the ``classes`` without ``label``."""
    drawn = int(generator.integers(classes - 1))
    return drawn + (drawn >= label)


def least_likely(logits: Tensor, label: int) -> int:
    """Return the class with the smallest of the ``logits`` (K,) that is not ``label``."""
    return _first(logits.neg(), label)


def runner_up(logits: Tensor, label: int) -> int:
    """Return the class with the largest of the ``logits`` (K,) that is not ``label``."""
    return _first(logits, label)


def _first(values: Tensor, label: int) -> int:
    """Return the position of the largest of ``values`` (K,) that is not at ``label``."""
    others = torch.cat([values[:label], values[label + 1 :]])
    found = int(others.argmax())
    return found + (found >= label)
