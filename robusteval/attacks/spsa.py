"""SPSA: gradients estimated from pairs of images, moved apart along random signs."""

import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import Goal
from robusteval.attacks._norms import projected
from robusteval.attacks._passes import Passes
from robusteval.attacks._streams import blocks, seeds, signs
from robusteval.batches import WIDTH

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # of Adam


def spsa(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    target: str | Tensor | None = None,
    eps: float,
    steps: int = 100,
    samples: int = 128,
    delta: float = 0.01,
    learning_rate: float = 0.01,
) -> Adversarials:
    """Return the first iterate that reaches the goal, else the last one; sees logits alone.

    Each step estimates the gradient of the margin as the mean over ``samples`` random v of -1 and 1
    of v * (margin(x + delta v) - margin(x - delta v)) / (2 delta), both images cut to [0, 1], goes
    up it by Adam and back into the L-infinity ball of radius ``eps`` and [0, 1].

    An image costs at most 1 + steps * (2 samples + 1) forward passes, its queries, the clean one
    included, 1 more if its target has to be found, and no backward pass.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image.
        target: see `robusteval.attacks._goal.Goal`.
        eps: largest change of a pixel, pixel scale 0 to 1.
        steps: at most.
        samples: pairs of queries a step.
        delta: how far a query is moved, pixel scale 0 to 1.
        learning_rate: of Adam.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Uesato, O'Donoghue, van den Oord, Kohli, "Adversarial risk and the dangers of evaluating
        against weak attacks", ICML 2018, arXiv 1802.05666, section 4.
    """
    if not (eps >= 0 and delta > 0 and learning_rate > 0 and steps >= 1 and samples >= 1):
        raise ValueError(
            f"eps {eps}, delta {delta}, learning_rate {learning_rate}, steps {steps}, samples "
            f"{samples}: at least 0, twice more than 0 and twice at least 1 expected"
        )
    if generators is None:
        raise ValueError("the queries are random: generators expected, one an image")
    goal = Goal(target, "margin")

    def start(state: State, generators: Generators) -> State:
        zeros = torch.zeros_like(state["x0"])
        search = {"next": state["x0"], "mean": zeros, "square": zeros}
        return state | search | {"seed": seeds(generators, zeros.device)}

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        reached = goal.reached(passes.forward(state["next"], differentiable=False), state)
        state = state | {"x": state["next"], "success": reached}
        t = state["steps"]
        finished = reached | (t == steps)
        if finished.all():
            return state, finished
        slope = _slope(state, passes, goal, ~finished, samples, delta)
        mean = BETA_1 * state["mean"] + (1 - BETA_1) * slope
        square = BETA_2 * state["square"] + (1 - BETA_2) * slope * slope
        first, second = (
            (1 - beta ** (t + 1).double()).float().view(-1, 1, 1, 1) for beta in (BETA_1, BETA_2)
        )
        moved = state["x"] + learning_rate * (mean / first) / ((square / second).sqrt() + EPSILON)
        return state | {
            "mean": mean,
            "square": square,
            "next": projected(moved, state["x0"], eps, "linf"),
            "steps": t + ~finished,
        }, finished

    return run(
        model,
        images,
        labels,
        generators=generators,
        start=start,
        step=step,
        goal=goal,
        batch_size=batch_size,
        progress=progress,
    )


def _slope(
    state: State, passes: Passes, goal: Goal, where: Tensor, samples: int, delta: float
) -> Tensor:
    """Return the estimate (W, C, H, W) of the margin's gradient at ``x``."""
    x = state["x"][:, None]
    total = torch.zeros_like(state["x"])
    for v in blocks(state["seed"], state["steps"], signs, samples, tuple(x.shape[2:])):
        pairs = torch.cat([(x + delta * v).clamp(0, 1), (x - delta * v).clamp(0, 1)], 1)
        values = goal.margins(passes.ask(pairs, where), state)
        up, down = values.chunk(2, 1)
        total = total + ((up - down)[..., None, None, None] * v).sum(1)
    return total / (2 * delta * samples)
