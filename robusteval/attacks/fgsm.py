"""Fast gradient sign method: one step of full length along the sign of the gradient."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH


def fgsm(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    eps: float,
) -> Adversarials:
    """Return images that follow x = clip(x0 + eps * sign(grad J(x0, y))).

    J is the cross-entropy of the logits. Every image costs 2 forward passes and 1 backward pass.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: not used, nothing is random.
        eps: largest change of a pixel, pixel scale 0 to 1.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Goodfellow, Shlens, Szegedy, "Explaining and harnessing adversarial examples", ICLR
        2015, arXiv 1412.6572, section 4, which leaves the clip to [0, 1] unsaid.
    """
    if eps < 0:
        raise ValueError(f"eps {eps}: at least 0 expected")

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        x, y = state["x"], state["label"]
        logits = passes.forward(x)
        finished = state["steps"] == 1
        gradient = passes.backward(F.cross_entropy(logits, y, reduction="none"), ~finished)
        moved = (x + eps * gradient.sign()).clamp(0, 1)
        moved = torch.where(finished.view(-1, 1, 1, 1), x, moved)
        success = logits.argmax(1) != y
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
        start=lambda state, generators: state,
        step=step,
        batch_size=batch_size,
        progress=progress,
    )
