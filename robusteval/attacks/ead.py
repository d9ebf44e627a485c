"""Elastic-net attack: the smallest change in L1 (or L1 and L2 together) that fools the model."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from robusteval.attacks import _best, _constants
from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import Goal
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH

RULES = ("l1", "en")


def ead(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    target: str | Tensor | None = None,
    kappa: float = 0.0,
    beta: float = 1e-3,
    rule: str = "l1",
    steps: int = 1000,
    searches: int = 9,
    initial_const: float = 0.01,
    learning_rate: float = 0.01,
    patience: int = 100,
    polish: int = 0,
) -> Adversarials:
    """Return the nearest image found whose margin is at least ``kappa``; else the last iterate.

    Minimises c * max(0, kappa - margin(x)) + |x - x0|_2^2 + beta * |x - x0|_1 over x in [0, 1] by
    FISTA, for each constant c of a search (`robusteval.attacks._constants`): a gradient step from
    y, changes below ``beta`` set to 0 and others made smaller by it, then y goes beyond x by
    momentum. The step falls with the square root of the steps left. The margin is the largest
    logit of the other classes minus the label's, or the target's minus the largest of the others.

    An image costs at most 2 * searches * steps forward passes, as x and y are both looked at, and
    half as many backward passes; it leaves a constant early when its own loss has made no progress
    for ``patience`` steps, and needs no backward pass where the margin suffices. A target that has
    to be found costs 1 more forward pass.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for random targets only.
        target: see `robusteval.attacks._goal.Goal`.
        kappa: confidence, in logits. With kappa above 0 an image may change its class and still
            fall short; its verdict then is that of its last iterate.
        beta: weight of L1, and the threshold of each step.
        rule: which image is nearest, by l1 or by en, beta * L1 + L2^2.
        steps: of FISTA, for each constant.
        searches: constants tried.
        learning_rate: length of the first gradient step.
        patience: steps without progress; ``steps`` for a search that never stops early.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Chen et al., "EAD: elastic-net attacks to deep neural networks via adversarial
        examples", AAAI 2018, arXiv 1709.04114, algorithm 1.
    """
    _constants.check(
        kappa=kappa,
        steps=steps,
        searches=searches,
        initial_const=initial_const,
        patience=patience,
        polish=polish,
    )
    if rule not in RULES:
        raise ValueError(f"rule {rule!r}: one of {', '.join(RULES)} expected")
    if not (beta >= 0 and learning_rate > 0):
        raise ValueError(
            f"beta {beta}, learning_rate {learning_rate}: at least 0 and more than 0 expected"
        )
    goal = Goal(target)

    def start(state: State, generators: Generators) -> State:
        state = _constants.begin(_best.begin(state), initial_const)
        return state | {"last": state["x0"], "y": state["x0"]}

    def judged(logits: Tensor, state: State) -> tuple[Tensor, Tensor, Tensor]:
        margin, reached = goal.margin(logits, state), goal.reached(logits, state)
        good = reached & (margin >= kappa)
        # A tie with the label still has its slope.
        return good, reached, torch.where(good, 0, kappa - margin)

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        x0, y = state["x0"], state["y"]
        logits = passes.forward(y)
        good, _, hinge = judged(logits, state)
        there = (state["steps"] == 0) & good
        slope = passes.backward(hinge, ~good)
        length = torch.where(state["polishing"], polish, steps)
        rate = learning_rate * (1 - state["t"] / length).sqrt()
        z = y - _column(rate * state["c"]) * slope - _column(2 * rate) * (y - x0)
        x = torch.where(_column(there), x0, _shrunk(z, x0, beta))
        logits = passes.forward(x, differentiable=False)
        good, reached, hinge = judged(logits, state)
        l1, squares = _sizes(x - x0)
        net = squares + beta * l1
        state = _best.kept(state, x, l1 if rule == "l1" else net, good, reached)
        state = _constants.watched(state, state["c"] * hinge + net, good)
        momentum = state["t"] / (state["t"] + 3)
        ahead = torch.lerp(state["last"], x, _column(1 + momentum))
        still = (l1 == 0) & (y == x0).flatten(1).all(1)  # and will be, as the rate only falls
        state = state | {"y": ahead, "last": x, "t": state["t"] + 1}
        done = _constants.over(state, steps, patience, polish) | still
        finished = (done & (state["round"] == searches - 1)) | (state["best"] == 0)
        if done.any():
            state = _constants.advanced(state, done, searches, polish)
            begin = torch.where(_column(state["polishing"]), state["x"], x0)
            again = {key: torch.where(_column(done), begin, state[key]) for key in ("y", "last")}
            state = state | again
        return state | {"steps": state["steps"] + ~there}, finished

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


def _column(values: Tensor) -> Tensor:
    """Return ``values`` (W,) as (W, 1, 1, 1)."""
    return values.view(-1, 1, 1, 1)


def _shrunk(z: Tensor, x0: Tensor, beta: float) -> Tensor:
    """Return the images whose change is that of ``z`` made smaller by ``beta``, in [0, 1]."""
    return (x0 + F.softshrink(z - x0, beta)).clamp_(0, 1)


def _sizes(change: Tensor) -> tuple[Tensor, Tensor]:
    """Return the L1 norm and the sum of squares, (W,) each, of ``change`` (W, C, H, W)."""
    flat = change.flatten(1)
    return torch.linalg.vector_norm(flat, 1, dim=1), flat.square().sum(1)
