"""Confident mistakes: descent that goes on, once it is wrong, until the model is sure of it."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._best import begin, kept
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._norms import NORMS, projected, random_point, steepest
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH


def log_odds(logits: Tensor, chosen: Tensor) -> Tensor:
    """Return log(p / (1 - p)) of the softmax probability p of ``chosen`` (W,), (W,).

    It orders as p does, but its gradient does not vanish where p rounds to 1.
    """
    own, others = _apart(logits, chosen)
    return own - others.logsumexp(1)


def margin(logits: Tensor, chosen: Tensor) -> Tensor:
    """Return how far the logit of ``chosen`` (W,) is ahead of the largest other one, (W,)."""
    own, others = _apart(logits, chosen)
    return own - others.amax(1)


SCORES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {"max_softmax": log_odds, "margin": margin}


def confident(
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
    score: str = "max_softmax",
    random_start: bool = True,
) -> Adversarials:
    """Return the wrong iterate of largest score; of an image that is never wrong, the last one.

    The iterates are those of `pgd`, x <- project(x + step_size * direction(grad J(x))). While the
    image is right, J is the cross-entropy with its label, so that whatever `pgd` turns with these
    settings and draws is turned here. Where it is wrong, J is the score of the class it is taken
    for, as high as which a rejector must look: accepting is what the image is made for.

    Every image costs steps + 1 forward passes and steps backward passes, as much as with `pgd`.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for a random start only.
        eps: radius of the ball in ``norm``, pixel scale 0 to 1.
        step_size: length of a step in ``norm``, pixel scale 0 to 1, not relative to ``eps``.
        norm: linf or l2.
        score: the rejection score that is to be large: max_softmax, the class's probability, or
            margin, its logit less the next one.
        random_start: begin at a point drawn uniformly from the ball, else at the clean image.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: this project's own. That an attack has to aim at the rejector as well is the point of
        Carlini & Wagner, "Adversarial examples are not easily detected", AISec 2017, arXiv
        1705.07263, and Tramer et al., "On adaptive attacks to adversarial example defenses",
        NeurIPS 2020, arXiv 2002.08347. The steps are those of Madry et al. 2018, arXiv 1706.06083.
    """
    if norm not in NORMS:
        raise ValueError(f"norm {norm!r}: one of {', '.join(NORMS)} expected")
    if score not in SCORES:
        raise ValueError(f"score {score!r}: one of {', '.join(SCORES)} expected")
    if not (eps >= 0 and step_size > 0 and steps >= 1):
        raise ValueError(
            f"eps {eps}, step_size {step_size}, steps {steps}: "
            "at least 0, more than 0 and at least 1 expected"
        )
    if random_start and generators is None:
        raise ValueError("a random start needs generators, one an image")
    certainty = SCORES[score]

    def start(state: State, generators: Generators) -> State:
        first = state["x0"]
        if random_start and generators is not None:
            first = random_point(first, generators, eps, norm)
        return begin(state) | {"next": first}

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        logits = passes.forward(state["next"])
        predicted = logits.argmax(1)
        wrong = predicted != state["label"]
        sure = certainty(logits, predicted)
        state = kept(state, state["next"], -sure.detach(), wrong, wrong)
        finished = state["steps"] == steps
        loss = F.cross_entropy(logits, state["label"], reduction="none")
        gradient = passes.backward(torch.where(wrong, sure, loss), ~finished)
        moved = state["next"] + step_size * steepest(gradient, norm)
        ahead = {"next": projected(moved, state["x0"], eps, norm)}
        return state | ahead | {"steps": state["steps"] + ~finished}, finished

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


def _apart(logits: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logit of ``chosen`` (W,) and ``logits`` (W, K) with it at minus infinity."""
    own = logits.gather(1, chosen[:, None]).squeeze(1)
    return own, logits.scatter(1, chosen[:, None], -torch.inf)
