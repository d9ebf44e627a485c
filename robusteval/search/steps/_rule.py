"""A rule for the next step in latent space, found by its id."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from robusteval import plugins

Memory = dict[str, Tensor]  # of a rule, a row an image
Rule = Callable[[Tensor, Memory], tuple[Tensor, Memory]]
Start = Callable[[Tensor, Sequence[np.random.Generator] | None], Memory]


def rule(
    name: str, step_size: float, settings: Mapping[str, Any] | None = None
) -> tuple[Start, Rule]:
    """Return how the rule ``name`` begins, and how it steps.

    A rule is a file of ``robusteval/search/steps`` with a function of its name, which maps the
    gradient (N, D, h, w) of the loss and its memory to a step (N, D, h, w) and its next memory;
    and, where it has a memory, ``start``, which makes it for arriving latents (N, D, h, w).

    Raises:
        ValueError: there is no such rule; the message lists those there are.
    """
    function = plugins.load("search.steps", name)
    start: Start = getattr(sys.modules[function.__module__], "start", _nothing)

    def step(gradient: Tensor, memory: Memory) -> tuple[Tensor, Memory]:
        found: tuple[Tensor, Memory] = function(
            gradient, memory, step_size=step_size, **(settings or {})
        )
        return found

    return start, step


def _nothing(latents: Tensor, generators: Sequence[np.random.Generator] | None) -> Memory:
    return {}
