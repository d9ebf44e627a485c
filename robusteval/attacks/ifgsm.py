"""Iterative fast gradient sign method: FGSM in equal small steps."""

from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State
from robusteval.attacks._goal import Goal
from robusteval.attacks._norms import projected
from robusteval.attacks._walk import walk
from robusteval.batches import WIDTH


def ifgsm(
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
) -> Adversarials:
    """Return the last iterate of x <- clip(x + eps / steps * sign(grad J(x, y))).

    It begins at the clean image and is clipped to [x0 - eps, x0 + eps] and [0, 1]. J is the
    ``loss``; with a target t, -J(x, t) takes its place. Every image costs steps + 1 forward passes
    and steps backward passes, and 1 more forward pass if its target has to be found.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for random targets only.
        target, loss, tie_tolerance: see `robusteval.attacks._goal.Goal`.
        eps: largest change of a pixel, pixel scale 0 to 1.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Kurakin, Goodfellow, Bengio, "Adversarial examples in the physical world", 2017, arXiv
        1607.02533, section 2.2; the step eps / steps is that of Su et al., "Is robustness the cost
        of accuracy?", ECCV 2018.
    """
    if not (eps >= 0 and steps >= 1):
        raise ValueError(f"eps {eps}, steps {steps}: at least 0 and at least 1 expected")

    def move(state: State, gradient: Tensor) -> State:
        moved = state["x"] + eps / steps * gradient.sign()
        return {"next": projected(moved, state["x0"], eps, "linf")}

    return walk(
        model,
        images,
        labels,
        generators=generators,
        steps=steps,
        move=move,
        goal=Goal(target, loss, tie_tolerance),
        batch_size=batch_size,
        progress=progress,
    )
