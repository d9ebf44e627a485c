"""The loop that all attacks share: per-image state in slots, passes of one fixed width.

Each slot holds an image with a state of its own. A finished image leaves its slot and the next one
of the queue comes in, so slots are at different steps of their search. Slots left over at the end
hold copies, so that every pass has the same width and no image's result depends on the others.
"""

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._inputs import check_inputs
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH, fixed_width, padded
from robusteval.memory import FAILURES, fitting, narrower

State = dict[str, Tensor]
"""Tensors whose first dimension is the slot. The engine puts there

    index (W,)           which image it is, counted from 0
    x0    (W, C, H, W)   the clean image
    label (W,)           its label
    x     (W, C, H, W)   the image that is handed back; first the clean one
    steps (W,)           first 0; counted by the attack
    success (W,)         first false; set by the attack
    forwards, backwards  counted by the engine

and an attack adds what its search needs: constants, momenta, the best image so far."""

Generators = Sequence[np.random.Generator] | None
Progress = Callable[[int], None]
Start = Callable[[State, Generators], State]
Step = Callable[[State, Passes], tuple[State, Tensor]]


@torch.enable_grad()
def run(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators,
    start: Start,
    step: Step,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
) -> Adversarials:
    """Return the adversarial images of ``images`` (N, C, H, W), float32 in [0, 1].

    Args:
        model: maps images to logits (N, K); in evaluation mode; decides the device.
        labels: (N,), int64.
        generators: one an image, or None for an attack that draws nothing.
        start: completes the state of arriving images, which it gets with their generators.
        step: returns the next state, and which slots (W,) are finished. It must treat each slot by
            itself, and leave x, steps and success of a finished slot as they are to be handed back.
        batch_size: slots; the real width is `robusteval.batches.fixed_width`, or half of it, or a
            quarter and so on, where a step does not fit in memory.
        progress: called with the number of images just done, whenever some are.

    Raises:
        ValueError: an argument is not usable.
        ModelError: the model returns a wrong shape or NaN.
    """
    check_inputs(model, images, labels, generators)
    device = next(chain(model.parameters(), model.buffers()), images).device
    width = fitting(model, fixed_width(batch_size, device))
    classes = max(labels.tolist(), default=-1) + 1
    results = _unfilled(images)
    rows: State = {}  # of the images that are here; the first ``width`` of them are in the slots
    arrived = done = 0
    while done < len(images):
        if arrived < min(len(images), done + width):
            arriving = slice(arrived, done + width)
            fresh = _fresh(images[arriving], labels[arriving], arrived, device)
            fresh = start(fresh, generators and generators[arriving])
            rows = {key: torch.cat([rows[key], fresh[key]]) for key in fresh} if rows else fresh
            arrived += len(fresh["index"])
        slots = {key: values[:width] for key, values in rows.items()}
        slots, finished, narrow = _until_one_finishes(model, slots, step, width, classes)
        _hand_back(slots, finished, results)
        rows = {k: torch.cat([slots[k][~finished], rows[k][width:]]) for k in rows}
        width = narrow
        done = arrived - len(rows["index"])
        if progress and finished.any():
            progress(int(finished.sum()))
    return results


def _unfilled(images: Tensor) -> Adversarials:
    """Return the room for what the images (N, C, H, W) will come to."""
    count = len(images)
    return Adversarials(
        images=torch.zeros(images.shape),
        steps=torch.zeros(count, dtype=torch.int64),
        forwards=torch.zeros(count, dtype=torch.int64),
        backwards=torch.zeros(count, dtype=torch.int64),
        success=torch.zeros(count, dtype=torch.bool),
    )


def _fresh(images: Tensor, labels: Tensor, first: int, device: torch.device) -> State:
    """Return the state of images that no pass has seen, numbered from ``first``."""
    x0 = images.to(device, copy=True, memory_format=torch.contiguous_format)
    index = torch.arange(first, first + len(images), device=device)
    zeros = torch.zeros_like(index)
    return {
        "index": index,
        "x0": x0,
        "label": labels.to(device),
        "x": x0,
        "steps": zeros,
        "success": zeros.bool(),
        "forwards": zeros,
        "backwards": zeros,
    }


def _until_one_finishes(
    model: nn.Module, rows: State, step: Step, width: int, classes: int
) -> tuple[State, Tensor, int]:
    """Return the slots in use after some steps, which of them are finished, and the next width.

    None is finished if a step did not fit in memory: the state is then that before it, and the next
    width is smaller.
    """
    live = len(rows["index"])
    state = {key: padded(values, width) for key, values in rows.items()}
    passes = Passes(model, state["index"], classes)
    finished = torch.zeros_like(state["success"])
    narrow = width
    while narrow == width and not finished[:live].any():
        counts = passes.forwards, passes.backwards
        try:
            state, finished = step(state, passes)
        except FAILURES as error:
            narrow = narrower(model, width, error)
            passes.forwards, passes.backwards = counts  # the step will be made again
    state["forwards"] = state["forwards"] + passes.forwards
    state["backwards"] = state["backwards"] + passes.backwards
    return {key: values[:live] for key, values in state.items()}, finished[:live], narrow


def _hand_back(rows: State, finished: Tensor, results: Adversarials) -> None:
    """Write what the ``finished`` rows have come to into ``results``."""
    own = {key: values[finished].cpu() for key, values in rows.items()}
    results.images[own["index"]] = own["x"]
    results.steps[own["index"]] = own["steps"]
    results.forwards[own["index"]] = own["forwards"]
    results.backwards[own["index"]] = own["backwards"]
    results.success[own["index"]] = own["success"]
