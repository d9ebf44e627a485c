"""Projected gradient descent: many small steps that stay inside a ball."""

from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State
from robusteval.attacks._goal import Goal
from robusteval.attacks._norms import NORMS, projected, random_point, steepest
from robusteval.attacks._walk import walk
from robusteval.batches import WIDTH


def pgd(
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
    norm: str = "linf",
    random_start: bool = True,
    early_stop: bool = False,
) -> Adversarials:
    """Return the last iterate of x <- project(x + step_size * direction(grad J(x, y))).

    J is the ``loss``; with a target t, -J(x, t) takes its place. The direction is the sign of the
    gradient (linf) or the gradient over its length (l2); the projection is onto the ball around the
    clean image, then onto [0, 1]. Every image costs steps + 1 forward passes and steps backward
    passes, or fewer with ``early_stop``; and 1 more forward pass if its target has to be found.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for a random start and for random targets only.
        target, loss, tie_tolerance: see `robusteval.attacks._goal.Goal`.
        eps: radius of the ball in ``norm``, pixel scale 0 to 1.
        step_size: length of a step in ``norm``, pixel scale 0 to 1, not relative to ``eps``.
        norm: linf or l2.
        random_start: begin at a point drawn uniformly from the ball, else at the clean image.
        early_stop: hand an image back as soon as the goal is reached, which may be before the
            first step. Succeeds wherever the full run does, and where that wanders back.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Madry et al., "Towards deep learning models resistant to adversarial attacks", ICLR
        2018, arXiv 1706.06083, section 2.1; 40 steps as for MNIST in section 5.
    """
    if norm not in NORMS:
        raise ValueError(f"norm {norm!r}: one of {', '.join(NORMS)} expected")
    if not (eps >= 0 and step_size > 0 and steps >= 1):
        raise ValueError(
            f"eps {eps}, step_size {step_size}, steps {steps}: "
            "at least 0, more than 0 and at least 1 expected"
        )
    if random_start and generators is None:
        raise ValueError("a random start needs generators, one an image")

    def start(state: State, generators: Generators) -> State:
        if not random_start or generators is None:
            return {}
        return {"next": random_point(state["x0"], generators, eps, norm)}

    def move(state: State, gradient: Tensor) -> State:
        moved = state["x"] + step_size * steepest(gradient, norm)
        return {"next": projected(moved, state["x0"], eps, norm)}

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
