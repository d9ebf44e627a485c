"""I-FGSM's smallest budget: the least change of any pixel that makes the model wrong."""

import torch
from torch import Tensor, nn

from robusteval.attacks import _best
from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import Goal
from robusteval.attacks._norms import projected
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH


def ifgsm_search(
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
    initial_eps: float = 0.02,
    attempts: int = 9,
    steps: int = 50,
    early_stop: bool = True,
    warm_start: bool = False,
    tolerance: float = 0.0,
) -> Adversarials:
    """Return the image of the smallest largest-pixel change that I-FGSM finds; else the last one.

    Runs I-FGSM of ``steps`` steps for each of several budgets: half the last one until one fails,
    or twice until one succeeds, then halfway between the largest that failed and the smallest that
    succeeded. An image costs at most 1 + attempts * steps forward passes and 1 + attempts *
    (steps - 1) backward passes; all but the first attempt begin with the gradient that is known.
    A target that has to be found costs 1 more forward pass, a warm start attempts - 1 more
    backward passes.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for random targets only.
        target, loss, tie_tolerance: see `robusteval.attacks._goal.Goal`.
        initial_eps: the first budget, pixel scale 0 to 1.
        attempts: budgets tried.
        steps: steps of an attempt, each of its eps / steps.
        early_stop: an attempt succeeds at its first adversarial iterate, whose distance takes the
            place of the budget. If not, only its last iterate counts.
        warm_start: begin an attempt at the last iterate of the one before, brought into the new
            ball, and not at the clean image. Takes fewer passes and finds smaller changes, which
            are no longer I-FGSM's as such.
        tolerance: stop when the largest budget that failed is nearer than this to the smallest that
            succeeded, as a share of the latter; 0 to use all attempts.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Su et al., "Is robustness the cost of accuracy?", ECCV 2018, and its released code for
        the order of budgets.
    """
    if not (initial_eps > 0 and attempts >= 1 and steps >= 1):
        raise ValueError(
            f"initial_eps {initial_eps}, attempts {attempts}, steps {steps}: "
            "more than 0, at least 1 and at least 1 expected"
        )
    if not 0 <= tolerance < 1:
        raise ValueError(f"tolerance {tolerance}: from 0 to less than 1 expected")
    goal = Goal(target, loss, tie_tolerance)

    def start(state: State, generators: Generators) -> State:
        eps = torch.full_like(state["label"], initial_eps, dtype=torch.float32)
        zeros = torch.zeros_like(state["label"])
        search = {"eps": eps, "low": 0 * eps, "high": eps + torch.inf, "attempt": zeros, "t": zeros}
        return _best.begin(state) | search | {"next": state["x0"], "slope": state["x0"]}

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        x, x0 = state["next"], state["x0"]
        first = state["steps"] == 0
        logits = passes.forward(x)
        reached = goal.reached(logits, state)
        ends = state["t"] == steps
        good = reached if early_stop else reached & (ends | first)
        distance = (x - x0).abs().flatten(1).amax(1)
        state = _best.kept(state, x, distance, good, reached)
        done = ends | good
        reach = distance if early_stop else state["eps"]
        budget = _next_budget(state, done, good, reach)
        close = done & budget["high"].isfinite() & (_width(budget) <= tolerance)
        last = done & (state["attempt"] == attempts - 1)
        finished = last | close | (state["best"] == 0)
        needed = ~finished & (~done | warm_start)
        slope = passes.backward(goal.climbed(logits, state), needed)
        if first.any():
            state["slope"] = torch.where(_column(first), slope, state["slope"])
        if done.any():
            state = state | budget
            if not warm_start:
                x = torch.where(_column(done), x0, x)
                slope = torch.where(_column(done), state["slope"], slope)
        moved = x + _column(state["eps"] / steps) * slope.sign()
        return state | {
            "next": projected(moved, x0, state["eps"], "linf"),
            "t": state["t"] + 1,
            "steps": state["steps"] + ~finished,
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


def _column(values: Tensor) -> Tensor:
    """Return ``values`` (W,) as (W, 1, 1, 1)."""
    return values.view(-1, 1, 1, 1)


def _width(budget: State) -> Tensor:
    """Return how much of the smallest budget that succeeded is still open, (W,), from 0 to 1."""
    return 1 - budget["low"] / budget["high"]


def _next_budget(state: State, done: Tensor, good: Tensor, reached: Tensor) -> State:
    """Return what changes where an attempt is ``done`` (W,), with success if ``good`` (W,).

    ``reached`` (W,) is the budget that a success stands for. One below a budget that failed shows
    that failure says little there, and the search goes on below.
    """
    eps, worked, failed = state["eps"], done & good, done & ~good
    high = torch.where(worked, torch.minimum(state["high"], reached), state["high"])
    low = torch.where(failed, torch.maximum(state["low"], eps), state["low"])
    low = torch.where(worked & (low >= high), 0, low)
    following = torch.where(high.isinf(), 2 * eps, (low + high) / 2)
    return {
        "eps": torch.where(done, following, eps),
        "low": low,
        "high": high,
        "attempt": state["attempt"] + done,
        "t": state["t"].masked_fill(done, 0),
    }
