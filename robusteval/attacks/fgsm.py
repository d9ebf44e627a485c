"""Fast gradient sign method: one step of full length along the sign of the gradient."""

from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State
from robusteval.attacks._goal import Goal
from robusteval.attacks._walk import walk
from robusteval.batches import WIDTH


def fgsm(
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
) -> Adversarials:
    """Return images that follow x = clip(x0 + eps * sign(grad J(x0, y))).

    J is the ``loss``; with a target t, -J(x0, t) takes its place. Every image costs 2 forward
    passes and 1 backward pass, and 1 more forward pass if its target has to be found.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for random targets only.
        target, loss, tie_tolerance: see `robusteval.attacks._goal.Goal`.
        eps: largest change of a pixel, pixel scale 0 to 1.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Goodfellow, Shlens, Szegedy, "Explaining and harnessing adversarial examples", ICLR
        2015, arXiv 1412.6572, section 4, which leaves the clip to [0, 1] unsaid.
    """
    if not eps >= 0:
        raise ValueError(f"eps {eps}: at least 0 expected")

    def move(state: State, gradient: Tensor) -> State:
        return {"next": (state["x"] + eps * gradient.sign()).clamp(0, 1)}

    return walk(
        model,
        images,
        labels,
        generators=generators,
        steps=1,
        move=move,
        goal=Goal(target, loss, tie_tolerance),
        batch_size=batch_size,
        progress=progress,
    )
