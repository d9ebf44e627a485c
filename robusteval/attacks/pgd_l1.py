"""Projected gradient descent in L1: sparse steps, exact projection."""

import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State
from robusteval.attacks._goal import Goal
from robusteval.attacks._l1_ball import projected_l1, random_point_l1
from robusteval.attacks._walk import walk
from robusteval.batches import WIDTH


def pgd_l1(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    target: str | Tensor | None = None,
    loss: str = "cross_entropy",
    tie_tolerance: float = 0.0,
    eps: float,
    step_size: float,
    steps: int = 40,
    share: float = 0.01,
    random_start: bool = False,
    early_stop: bool = False,
) -> Adversarials:
    """Return the last iterate of x <- project(x + step_size * direction(grad J(x, y))).

    J is the ``loss``; with a target t, -J(x, t) takes its place. The direction moves the ``share``
    of the values with the largest gradient, those aside that are at the end of the pixel range
    already, all as far, so that its L1 length is 1. The projection is the exact one onto the
    intersection of the ball with [0, 1]. Every image costs steps + 1 forward passes and steps
    backward passes, or fewer with ``early_stop``; and 1 more forward pass if its target has to be
    found.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for a random start and for random targets only.
        target, loss, tie_tolerance: see `robusteval.attacks._goal.Goal`.
        eps: radius of the L1 ball, pixel scale 0 to 1.
        step_size: L1 length of a step, not relative to ``eps``.
        share: of the values of an image that a step moves, at least one value.
        random_start: begin at a point drawn uniformly from the ball, else at the clean image.
        early_stop: hand an image back as soon as the goal is reached.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Tramèr and Boneh, "Adversarial training and robustness for multiple perturbations",
        NeurIPS 2019, arXiv 1904.13000, section 2.3 (sparse l1-descent); the projection is that of
        Croce and Hein, ICML 2021, arXiv 2103.01208, where theirs ends in the ball but not nearest.
    """
    if not (eps >= 0 and step_size > 0 and steps >= 1 and 0 < share <= 1):
        raise ValueError(
            f"eps {eps}, step_size {step_size}, steps {steps}, share {share}: "
            "at least 0, more than 0, at least 1 and from 0 to 1 expected"
        )
    if random_start and generators is None:
        raise ValueError("a random start needs generators, one an image")

    def start(state: State, generators: Generators) -> State:
        if not random_start or generators is None:
            return {}
        return {"next": random_point_l1(state["x0"], generators, eps)}

    def move(state: State, gradient: Tensor) -> State:
        moved = state["x"] + step_size * sparse_direction(state["x"], gradient, share)
        return {"next": projected_l1(moved, state["x0"], eps)}

    return walk(
        model,
        images,
        labels,
        generators=generators,
        steps=steps,
        move=move,
        start=start,
        early_stop=early_stop,
        goal=Goal(target, loss, tie_tolerance),
        batch_size=batch_size,
        progress=progress,
    )


def sparse_direction(x: Tensor, gradient: Tensor, share: float) -> Tensor:
    """Return the signs of the largest ``share`` of ``gradient`` (N, C, H, W), L1 length 1 in all.

    What would leave [0, 1] at once is left out; 0 where nothing is left.
    """
    stuck = ((x <= 0) & (gradient < 0)) | ((x >= 1) & (gradient > 0))
    size = gradient.abs().masked_fill(stuck, 0).flatten(1)
    count = max(1, round(share * size.shape[1]))
    smallest = size.topk(count, dim=1).values[:, -1:]
    chosen = (size >= smallest) & (size > 0)
    signs = gradient.flatten(1).sign() * chosen
    return (signs / chosen.sum(1, keepdim=True).clamp_min(1)).view_as(x).to(torch.float32)
