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

from robusteval.attacks._adversarials import (
    NOT_FINITE,
    UNTARGETED,
    ZERO_GRADIENT,
    Adversarials,
)
from robusteval.attacks._goal import ANY_OTHER, Goal, State
from robusteval.attacks._inputs import check_inputs
from robusteval.attacks._passes import Passes
from robusteval.attacks._targets import chosen
from robusteval.batches import WIDTH, fixed_width, padded, predict
from robusteval.memory import FAILURES, fitting, narrower
from robusteval.models._errors import ModelError

__all__ = ["Generators", "Progress", "Start", "State", "Step", "run"]

# State holds tensors whose first dimension is the slot. The engine puts there
#
#     index (W,)           which image it is, counted from 0
#     x0    (W, C, H, W)   the clean image
#     label (W,)           its label
#     target (W,)          the class to be reached; -1 if any but the label will do
#     x     (W, C, H, W)   the image that is handed back; first the clean one
#     steps (W,)           first 0; counted by the attack
#     success (W,)         the verdict on x; first false; set by the attack
#     forwards, backwards  counted by the engine
#     odd (W,)             code of what was odd; set by the engine
#
# and an attack adds what its search needs: constants, momenta, the image to be tried next.

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
    goal: Goal = ANY_OTHER,
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
        goal: which class is to be reached. Finding it by name costs each image a forward pass.
        batch_size: slots; the real width is `robusteval.batches.fixed_width`, or half of it, or a
            quarter and so on, where a step does not fit in memory.
        progress: called with the number of images just done, whenever some are.

    Raises:
        ValueError: an argument is not usable.
        ModelError: the model returns a wrong shape, or what an image's first passes give is not
            finite. If that happens later, the image is handed back as it was in the state before
            the step, and marked `NOT_FINITE`; where the gradient was at fault, as the step leaves
            it with a gradient of 0.
    """
    check_inputs(model, images, labels, generators, goal)
    device = next(chain(model.parameters(), model.buffers()), images).device
    width = fitting(model, fixed_width(batch_size, device))
    classes = max([1, *labels.tolist(), *_given(goal).tolist()]) + 1  # one class is no choice
    results = _unfilled(images)
    rows: State = {}  # of the images that are here; the first ``width`` of them are in the slots
    arrived = done = 0
    while done < len(images):
        if arrived < min(len(images), done + width):
            arriving = slice(arrived, done + width)
            fresh = _fresh(images[arriving], labels[arriving], arrived, device)
            draws = generators and generators[arriving]
            fresh = _aimed(fresh, goal, draws, model, width, classes)
            fresh = start(fresh, draws)
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


def _given(goal: Goal) -> Tensor:
    """Return the classes that the goal names itself."""
    return goal.target if isinstance(goal.target, Tensor) else torch.empty(0, dtype=torch.int64)


def _unfilled(images: Tensor) -> Adversarials:
    """Return the room for what the images (N, C, H, W) will come to."""
    zeros = torch.zeros(len(images), dtype=torch.int64)
    return Adversarials(
        images=torch.zeros(images.shape),
        steps=zeros.clone(),
        forwards=zeros.clone(),
        backwards=zeros.clone(),
        success=zeros.bool(),
        target=zeros.clone(),
        odd=zeros.clone(),
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
        "target": zeros + UNTARGETED,
        "x": x0,
        "steps": zeros,
        "success": zeros.bool(),
        "forwards": zeros,
        "backwards": zeros,
        "odd": zeros,
    }


def _aimed(
    fresh: State, goal: Goal, generators: Generators, model: nn.Module, width: int, classes: int
) -> State:
    """Return the state of arriving images with the classes that they are to reach."""
    if isinstance(goal.target, Tensor):
        return fresh | {"target": goal.target.to(fresh["index"].device)[fresh["index"]]}
    if goal.target is None:
        return fresh
    logits = predict(model, fresh["x0"], batch_size=width)  # goes on where memory is short
    if logits.ndim != 2 or len(logits) != len(fresh["x0"]) or logits.shape[1] < classes:
        raise ModelError(
            f"logits have shape {tuple(logits.shape)}; ({len(fresh['index'])}, K) with K at least "
            f"{classes} expected"
        )
    if (bad := logits.isnan().any(1)).any():
        first = int(fresh["index"][bad][0])
        raise ModelError(f"logits are NaN for {int(bad.sum())} images, the first at {first}")
    target = chosen(goal.target, logits, fresh["label"], generators)
    return fresh | {"target": target, "forwards": torch.ones_like(fresh["forwards"])}


def _until_one_finishes(
    model: nn.Module, rows: State, step: Step, width: int, classes: int
) -> tuple[State, Tensor, int]:
    """Return the slots in use after some steps, which of them are finished, and the next width.

    None is finished if a step did not fit in memory: the state is then that before it, and the next
    width is smaller.
    """
    live = len(rows["index"])
    state = {key: padded(values, width) for key, values in rows.items()}
    passes = Passes(model, state["index"], classes, state["forwards"], state["backwards"])
    finished = torch.zeros_like(state["success"])
    narrow = width
    while narrow == width and not finished[:live].any():
        before, kept = state, passes.kept()
        try:
            state, finished = step(state, passes)
        except FAILURES as error:
            narrow = narrower(model, width, error)
            passes.restore(kept)  # the step will be made again
            continue
        if passes.broken:
            state, finished = _ended(before, state, finished, passes)
    state["forwards"] = state["forwards"] + passes.forwards
    state["backwards"] = state["backwards"] + passes.backwards
    state["odd"] = torch.maximum(state["odd"], passes.flat * ZERO_GRADIENT)
    return {key: values[:live] for key, values in state.items()}, finished[:live], narrow


def _ended(before: State, state: State, finished: Tensor, passes: Passes) -> tuple[State, Tensor]:
    """Return the state and the finished slots, with the searches ended that met NaN."""
    result = dict(state)
    broken = passes.lost | passes.stuck
    for key, mask in (("x", passes.lost), ("success", passes.lost), ("steps", broken)):
        mask = mask.view(-1, *[1] * (state[key].ndim - 1))
        result[key] = torch.where(mask, before[key], state[key])
    result["odd"] = state["odd"].masked_fill(broken, NOT_FINITE)
    return result, finished | broken


def _hand_back(rows: State, finished: Tensor, results: Adversarials) -> None:
    """Write what the ``finished`` rows have come to into ``results``."""
    own = {key: values[finished].cpu() for key, values in rows.items()}
    results.images[own["index"]] = own["x"]
    for key in ("steps", "forwards", "backwards", "success", "target", "odd"):
        getattr(results, key)[own["index"]] = own[key]
