"""NATTACK: a distribution of images, its mean moved to where their margins are large."""

import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import Goal
from robusteval.attacks._passes import Passes
from robusteval.attacks._streams import blocks, normals, seeds
from robusteval.batches import WIDTH

INSIDE = 0.999999  # keeps black and white off the ends of tanh
SPREAD = 0.001  # of the mean at the beginning
TINY = 1e-7  # added to the deviation of the rewards


def nattack(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    target: str | Tensor | None = None,
    eps: float,
    steps: int = 500,
    population: int = 300,
    sigma: float = 0.1,
    learning_rate: float = 0.02,
) -> Adversarials:
    """Return the first image of the mean that reaches the goal, else the last; sees logits alone.

    The image of a point z is project((tanh(w0 + z) + 1) / 2), w0 being that of the clean image and
    the projection that into the L-infinity ball of radius ``eps``. Each step asks about the images
    of ``population`` points, normal around the mean with deviation ``sigma``, rewards each by its
    margin, none above 0, and moves the mean by learning_rate / (population sigma) times the sum of
    the normal numbers weighed by the standardised rewards.

    An image costs at most 1 + steps * (population + 1) forward passes, its queries, the clean one
    included, 1 more if its target has to be found, and no backward pass.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image.
        target: see `robusteval.attacks._goal.Goal`.
        eps: largest change of a pixel, pixel scale 0 to 1.
        steps: at most.
        population: queries a step.
        sigma: standard deviation of the points.
        learning_rate: of the mean.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Li, Li, Wang, Zhang, Gong, "NATTACK: learning the distributions of adversarial examples
        for an improved black-box attack on deep neural networks", ICML 2019, arXiv 1905.00441,
        algorithm 1. The points have the size of the image; the paper draws smaller ones for large
        images and widens them.
    """
    if not (eps >= 0 and sigma > 0 and learning_rate > 0 and steps >= 1 and population >= 2):
        raise ValueError(
            f"eps {eps}, sigma {sigma}, learning_rate {learning_rate}, steps {steps}, population "
            f"{population}: at least 0, twice more than 0, at least 1 and at least 2 expected"
        )
    if generators is None:
        raise ValueError("the queries are random: generators expected, one an image")
    goal = Goal(target, "margin")

    def start(state: State, generators: Generators) -> State:
        x0, zero = state["x0"], torch.zeros_like(state["label"])
        u = (2 * x0 - 1) * INSIDE
        seed = seeds(generators, x0.device)
        (mean,) = blocks(seed, zero, normals, 1, tuple(x0.shape[1:]))
        return state | {
            # Not atanh, whose last bit depends on where in the batch a value stands.
            "w0": ((1 + u).log() - (1 - u).log()) / 2,
            "mean": SPREAD * mean[:, 0],
            "seed": seed,
            "next": x0,
        }

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        reached = goal.reached(passes.forward(state["next"], differentiable=False), state)
        state = state | {"x": state["next"], "success": reached}
        t = state["steps"]
        finished = reached | (t == steps)
        if finished.all():
            return state, finished
        uphill = _uphill(state, passes, goal, ~finished, eps, population, sigma)
        mean = state["mean"] + learning_rate / (population * sigma) * uphill
        return state | {
            "mean": mean,
            "next": _image(state, mean[:, None], eps)[:, 0],
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


def _uphill(
    state: State,
    passes: Passes,
    goal: Goal,
    where: Tensor,
    eps: float,
    population: int,
    sigma: float,
) -> Tensor:
    """Return the sum of the normal numbers weighed by their rewards, (W, C, H, W)."""
    shape = tuple(state["x0"].shape[1:])
    drawn = state["seed"], state["steps"] + 1, normals, population, shape
    margins = [
        goal.margins(passes.ask(_image(state, _points(state, n, sigma), eps), where), state)
        for n in blocks(*drawn)
    ]
    rewards = torch.cat(margins, 1).clamp_max(0)
    centred = rewards - rewards.mean(1, keepdim=True)
    weights = centred / (rewards.std(1, keepdim=True) + TINY)
    total = torch.zeros_like(state["mean"])
    parts = torch.split(weights, [part.shape[1] for part in margins], 1)
    for n, part in zip(blocks(*drawn), parts, strict=True):  # the same numbers once more
        total = total + (part[..., None, None, None] * n).sum(1)
    return total


def _points(state: State, noise: Tensor, sigma: float) -> Tensor:
    """Return the points (W, m, C, H, W) that ``noise``, standard normal, leads to."""
    return state["mean"][:, None] + sigma * noise


def _image(state: State, z: Tensor, eps: float) -> Tensor:
    """Return the images (W, m, C, H, W) of the points ``z``."""
    x0 = state["x0"][:, None]
    return ((state["w0"][:, None] + z).tanh().add(1).div(2)).clamp(x0 - eps, x0 + eps).clamp(0, 1)
