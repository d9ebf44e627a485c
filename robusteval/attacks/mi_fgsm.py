"""Momentum iterative fast gradient sign method."""

import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State
from robusteval.attacks._goal import Goal
from robusteval.attacks._norms import TINY, projected
from robusteval.attacks._walk import walk
from robusteval.batches import WIDTH


def mi_fgsm(
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
    steps: int = 10,
    decay: float = 1.0,
) -> Adversarials:
    """Return the last iterate of x <- clip(x + eps / steps * sign(g)).

    The momentum g <- decay * g + grad J(x, y) / |grad J(x, y)|_1 keeps the direction, which makes
    the images transfer better. It begins at the clean image and is clipped to [x0 - eps, x0 + eps]
    and [0, 1]. J is the ``loss``; with a target t, -J(x, t) takes its place. Every image costs
    steps + 1 forward passes and steps backward passes, and 1 more forward pass if its target has to
    be found.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for random targets only.
        target, loss, tie_tolerance: see `robusteval.attacks._goal.Goal`.
        eps: largest change of a pixel, pixel scale 0 to 1.
        decay: what is kept of the momentum; 0 gives I-FGSM.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Dong et al., "Boosting adversarial attacks with momentum", CVPR 2018, arXiv 1710.06081,
        algorithm 1; decay 1 and 10 steps as in section 4.
    """
    if not (eps >= 0 and steps >= 1 and decay >= 0):
        raise ValueError(
            f"eps {eps}, steps {steps}, decay {decay}: "
            "at least 0, at least 1 and at least 0 expected"
        )

    def start(state: State, generators: Generators) -> State:
        return {"momentum": torch.zeros_like(state["x0"])}

    def move(state: State, gradient: Tensor) -> State:
        size = torch.linalg.vector_norm(gradient, 1, dim=(1, 2, 3), keepdim=True)
        momentum = decay * state["momentum"] + gradient / size.clamp_min(TINY)
        moved = state["x"] + eps / steps * momentum.sign()
        return {"momentum": momentum, "next": projected(moved, state["x0"], eps, "linf")}

    return walk(
        model,
        images,
        labels,
        generators=generators,
        steps=steps,
        move=move,
        start=start,
        goal=Goal(target, loss, tie_tolerance),
        batch_size=batch_size,
        progress=progress,
    )
