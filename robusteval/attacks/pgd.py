"""Projected gradient descent: many small steps that stay inside a ball."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._norms import NORMS, projected, random_point, steepest
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH


def pgd(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    eps: float,
    step_size: float,
    steps: int = 40,
    norm: str = "linf",
    random_start: bool = True,
    early_stop: bool = False,
) -> Adversarials:
    """Return the last iterate of x <- project(x + step_size * direction(grad J(x, y))).

    J is the cross-entropy of the logits. The direction is the sign of the gradient (linf) or the
    gradient over its length (l2); the projection is onto the ball around the clean image, then onto
    [0, 1]. Every image costs steps + 1 forward passes and steps backward passes, or fewer with
    ``early_stop``.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for a random start only.
        eps: radius of the ball in ``norm``, pixel scale 0 to 1.
        step_size: length of a step in ``norm``, pixel scale 0 to 1, not relative to ``eps``.
        norm: linf or l2.
        random_start: begin at a point drawn uniformly from the ball, else at the clean image.
        early_stop: hand an image back as soon as the model gets it wrong, which may be before the
            first step. Succeeds wherever the full run does, and where that wanders back.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Madry et al., "Towards deep learning models resistant to adversarial attacks", ICLR
        2018, arXiv 1706.06083, section 2.1; 40 steps as for MNIST in section 5.
    """
    if norm not in NORMS:
        raise ValueError(f"norm {norm!r}: one of {', '.join(NORMS)} expected")
    if eps < 0 or step_size <= 0 or steps < 1:
        raise ValueError(
            f"eps {eps}, step_size {step_size}, steps {steps}: "
            "at least 0, more than 0 and at least 1 expected"
        )
    if random_start and generators is None:
        raise ValueError("a random start needs generators, one an image")

    def start(state: State, generators: Generators) -> State:
        if not random_start or generators is None:
            return state
        return state | {"x": random_point(state["x0"], generators, eps, norm)}

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        x, y = state["x"], state["label"]
        logits = passes.forward(x)
        success = logits.argmax(1) != y
        finished = (state["steps"] == steps) | (success & early_stop)
        gradient = passes.backward(F.cross_entropy(logits, y, reduction="none"), ~finished)
        moved = projected(x + step_size * steepest(gradient, norm), state["x0"], eps, norm)
        moved = torch.where(finished.view(-1, 1, 1, 1), x, moved)
        return state | {
            "x": moved,
            "steps": state["steps"] + ~finished,
            "success": success,
        }, finished

    return run(
        model,
        images,
        labels,
        generators=generators,
        start=start,
        step=step,
        batch_size=batch_size,
        progress=progress,
    )
