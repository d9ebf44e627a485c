"""Carlini-Wagner attack: the smallest Euclidean change that makes the model wrong."""

import torch
from torch import Tensor, nn

from robusteval.attacks import _best, _constants
from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import Goal
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # of Adam
INSIDE = 0.999999  # keeps black and white off the ends of tanh, where no gradient would move them


def cw_l2(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    target: str | Tensor | None = None,
    kappa: float = 0.0,
    steps: int = 1000,
    searches: int = 9,
    initial_const: float = 0.01,
    learning_rate: float = 0.01,
    patience: int = 100,
    warm_start: bool = False,
    polish: int = 0,
) -> Adversarials:
    """Return the nearest image found whose margin is at least ``kappa``; else the last iterate.

    Minimises |x - x0|_2^2 + c * max(0, kappa - margin(x)) over w, x = (tanh(w) + 1) / 2, by Adam,
    for each constant c of a search (`robusteval.attacks._constants`). The margin is the largest
    logit of the other classes minus the label's, or the target's minus the largest of the others.

    An image costs at most 1 + searches * steps forward passes and as many backward passes; it
    leaves a constant early when its own loss has made no progress for ``patience`` steps, and
    needs no backward pass where the margin suffices. A target that has to be found costs 1 more.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image; needed for random targets only.
        target: see `robusteval.attacks._goal.Goal`.
        kappa: confidence, in logits. With kappa above 0 an image may change its class and still
            fall short; its verdict then is that of its last iterate.
        steps: of Adam, for each constant.
        searches: constants tried.
        learning_rate: of Adam. The code released with Su et al. 2018 runs at 0.002.
        patience: steps without progress; ``steps`` for a search that never stops early.
        warm_start: begin each constant where the last one ended, as in that code, and not at the
            clean image.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Carlini and Wagner, "Towards evaluating the robustness of neural networks", S&P 2017,
        arXiv 1608.04644, sections V and VI.
    """
    _constants.check(
        kappa=kappa,
        steps=steps,
        searches=searches,
        initial_const=initial_const,
        patience=patience,
        polish=polish,
    )
    if not learning_rate > 0:
        raise ValueError(f"learning_rate {learning_rate}: more than 0 expected")
    goal = Goal(target)
    rates, epsilons = _adam(max(steps, polish), learning_rate)

    def start(state: State, generators: Generators) -> State:
        w0 = _inverse(state["x0"])
        state = _constants.begin(_best.begin(state), initial_const)
        mean, square, slope = (torch.zeros_like(w0) for _ in range(3))
        search = {"w0": w0, "w": w0, "mean": mean, "square": square, "slope": slope}
        return state | search | {"origin": _pixels(w0)}

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        x = _pixels(state["w"])
        change = x - state["origin"]
        distance = change.square().flatten(1).sum(1)
        logits = passes.forward(x)
        margin, reached = goal.margin(logits, state), goal.reached(logits, state)
        good = reached & (margin >= kappa)
        hinge = torch.where(good, 0, kappa - margin)  # a tie with the label still has its slope
        state = _best.kept(state, x, distance, good, reached)
        state = _constants.watched(state, state["c"] * hinge.detach() + distance, good)
        done = _constants.over(state, steps, patience, polish)
        finished = (done & (state["round"] == searches - 1)) | (state["best"] == 0)
        needed = ~good & ~finished & (~done | warm_start)
        slope = passes.backward(hinge, needed)
        if (first := state["steps"] == 0).any():
            state["slope"] = torch.where(first.view(-1, 1, 1, 1), slope, state["slope"])
        if done.any():
            state = _constants.advanced(state, done, searches, polish)
            state, slope, x, change = _anew(state, slope, x, change, done, warm_start)
        gradient = _gradient(state["c"], slope, x, change)
        state["mean"].lerp_(gradient, 1 - BETA_1)
        state["square"].mul_(BETA_2).addcmul_(gradient, gradient, value=1 - BETA_2)
        rate, epsilon = (table.to(x.device)[state["t"]] for table in (rates, epsilons))
        if polish:
            rate = torch.where(state["polishing"], rate * (1 - state["t"] / polish), rate)
        root = state["square"].sqrt().add_(_column(epsilon))
        return state | {
            "w": torch.addcdiv(state["w"], state["mean"] * _column(rate), root, value=-1),
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


def _pixels(w: Tensor) -> Tensor:
    """Return the images in [0, 1] that ``w`` stands for."""
    return w.tanh().add_(1).div_(2)


def _inverse(x: Tensor) -> Tensor:
    """Return what stands for the images ``x`` in [0, 1]."""
    u = (2 * x - 1) * INSIDE
    # Not atanh, whose last bit depends on where in the batch a value stands.
    return ((1 + u).log_() - (1 - u).log_()).div_(2)


def _column(values: Tensor) -> Tensor:
    """Return ``values`` (W,) as (W, 1, 1, 1)."""
    return values.view(-1, 1, 1, 1)


def _gradient(c: Tensor, slope: Tensor, x: Tensor, change: Tensor) -> Tensor:
    """Return the gradient of |change|^2 + c * hinge with respect to w, with dx/dw = 2 x (1 - x).

    ``slope`` is the gradient of the hinge with respect to x.
    """
    return (slope * _column(2 * c)).add_(change, alpha=4).mul_(x).mul_(1 - x)


def _adam(steps: int, learning_rate: float) -> tuple[Tensor, Tensor]:
    """Return Adam's bias-corrected rate and epsilon for each step, (steps + 1,) float32.

    They stand in mean * rate / (sqrt(square) + epsilon).
    """
    t = torch.arange(1, steps + 2, dtype=torch.float64)
    root = (1 - BETA_2**t).sqrt()
    return (learning_rate * root / (1 - BETA_1**t)).float(), (EPSILON * root).float()


def _anew(
    state: State, slope: Tensor, x: Tensor, change: Tensor, done: Tensor, warm_start: bool
) -> tuple[State, Tensor, Tensor, Tensor]:
    """Return state, slope, image and change with the slots that are ``done`` begun anew.

    The slope is known from the first step at the clean image, and is 0 at the best one.
    """
    done = _column(done)
    state["mean"].masked_fill_(done, 0)
    state["square"].masked_fill_(done, 0)
    best = done & _column(state["polishing"])
    clean = done & ~best & (not warm_start)
    w = torch.where(clean, state["w0"], state["w"])
    x = torch.where(clean, state["origin"], x)
    slope = torch.where(clean, state["slope"], slope.masked_fill(best, 0))  # no hinge at the best
    if best.any():
        w = torch.where(best, _inverse(state["x"]), w)
        x = torch.where(best, state["x"], x)
    return state | {"w": w}, slope, x, x - state["origin"]
