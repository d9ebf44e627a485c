"""Square attack: random square changes, kept where they help; sees logits, never a gradient."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import Goal
from robusteval.attacks._norms import NORMS, TINY, projected
from robusteval.attacks._passes import Passes
from robusteval.attacks._squares import corner, inside, placed, pyramids, sides
from robusteval.batches import WIDTH

TILES = 5  # of the first l2 change, along each side
PLACES = 5  # draws of a query beside the signs: two corners, and how the pyramids lie
Propose = Callable[[State, Tensor], Tensor]


def square(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    target: str | Tensor | None = None,
    loss: str = "margin",
    tie_tolerance: float = 0.0,
    eps: float,
    norm: str = "linf",
    queries: int = 5000,
    share: float | None = None,
) -> Adversarials:
    """Return the first image that reaches the goal, else that of the largest loss.

    In linf the walk begins at vertical stripes of +-eps, and each query sets a square to +-eps in
    each channel. In l2 it begins at a grid of pyramids, and each query moves the change of one
    square into another. A query is kept where the loss grows.

    An image costs at most queries + 1 forward passes, the clean one included, 1 more if its target
    has to be found, and no backward pass.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image.
        target, loss, tie_tolerance: see `robusteval.attacks._goal.Goal`; the paper takes the
            margin, and the cross-entropy if there is a target.
        eps: radius of the ball in ``norm``, pixel scale 0 to 1.
        norm: linf or l2.
        queries: images tried.
        share: of the pixels in the first squares; as in the paper 0.05 in linf, 0.1 in l2.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Andriushchenko et al., "Square attack", ECCV 2020, arXiv 1912.00049, algorithms 1 to 3.
    """
    if norm not in NORMS:
        raise ValueError(f"norm {norm!r}: one of {', '.join(NORMS)} expected")
    share = {"linf": 0.05, "l2": 0.1}[norm] if share is None else share
    if not (eps >= 0 and queries >= 1 and 0 < share <= 1):
        raise ValueError(
            f"eps {eps}, queries {queries}, share {share}: "
            "at least 0, at least 1 and from 0 to 1 expected"
        )
    if generators is None:
        raise ValueError("squares are random: generators expected, one an image")
    goal = Goal(target, loss, tie_tolerance)
    height, width = images.shape[-2:]
    side = sides(queries, share, height, width)
    propose = _linf(eps, side) if norm == "linf" else _l2(eps, side)

    def start(state: State, generators: Generators) -> State:
        assert generators is not None
        channels, height, width = state["x0"].shape[1:]
        size = (queries, PLACES + channels)
        draws = np.stack([g.random(size, dtype=np.float32) for g in generators])
        signs = np.stack([g.integers(0, 2, (channels, height, width)) for g in generators])
        begin = _stripes if norm == "linf" else _grid
        device = state["x0"].device
        change = begin(torch.from_numpy(signs * 2.0 - 1).float().to(device))
        return state | {
            "draws": torch.from_numpy(draws).to(device),
            "next": state["x0"],
            "begin": projected(state["x0"] + eps * change, state["x0"], eps, norm),
            "value": torch.full_like(state["label"], -torch.inf, dtype=torch.float32),
        }

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        x = state["next"]
        logits = passes.forward(x, differentiable=False)
        reached, value = goal.reached(logits, state), goal.climbed(logits, state)
        t = state["steps"]
        better = (value > state["value"]) | reached
        kept = torch.where(better.view(-1, 1, 1, 1), x, state["x"])
        state = state | {
            "x": kept,
            "success": torch.where(better, reached, state["success"]),
            "value": torch.where(better & (t > 0), value, state["value"]),
        }
        finished = reached | (t == queries)
        following = projected(propose(state, (t - 1).clamp(0, queries - 1)), state["x0"], eps, norm)
        first = (t == 0).view(-1, 1, 1, 1)
        return state | {
            "next": torch.where(first, state["begin"], following),
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


def _of_query(state: State, t: Tensor) -> Tensor:
    """Return what was drawn for query ``t`` (W,), (places and signs, W)."""
    return state["draws"][torch.arange(len(t), device=t.device), t].T


def _signs(draws: Tensor) -> Tensor:
    """Return +-1 for draws (C, W) from [0, 1), as (W, C, 1, 1)."""
    return torch.where(draws < 0.5, -1.0, 1.0).T[:, :, None, None]


def _stripes(signs: Tensor) -> Tensor:
    """Return vertical stripes of +-1, from ``signs`` (n, C, H, W)."""
    return signs[:, :, :1].expand_as(signs)


def _grid(signs: Tensor) -> Tensor:
    """Return a grid of pyramids of random sign and length 1 as a whole, like ``signs``."""
    height, width = signs.shape[2:]
    side = max(1, min(height, width) // TILES)
    change = torch.zeros_like(signs)
    tile = pyramids(side).to(signs.device)
    for top in range(0, height - side + 1, side):
        for left in range(0, width - side + 1, side):
            here = (slice(None), slice(None), slice(top, top + side), slice(left, left + side))
            change[here] = tile * signs[:, :, top, left, None, None]
    length: Tensor = torch.linalg.vector_norm(change, dim=(1, 2, 3), keepdim=True)
    return change / length


def _linf(eps: float, side: Tensor) -> Propose:
    """Return what sets a square of each image to +-eps in each channel."""

    def propose(state: State, t: Tensor) -> Tensor:
        height, width = state["x"].shape[2:]
        draws, size = _of_query(state, t), side.to(t.device)[t]
        top, left = corner(draws[0], size, height), corner(draws[1], size, width)
        square = inside(top, left, size, height, width)
        return torch.where(square, state["x0"] + eps * _signs(draws[PLACES:]), state["x"])

    return propose


def _l2(eps: float, side: Tensor) -> Propose:
    """Return what moves the change of one square into another, shaped as pyramids, channel-wise."""
    side = side.clamp_min(2)  # a pyramid up and one down
    largest = int(side.max())
    table = torch.zeros(2 * largest + 2, largest, largest)
    for size in set(side.tolist()):
        table[2 * size, :size, :size] = pyramids(size)
        table[2 * size + 1, :size, :size] = pyramids(size).T

    def propose(state: State, t: Tensor) -> Tensor:
        height, width = state["x"].shape[2:]
        draws, size = _of_query(state, t), side.to(t.device)[t]
        tops = [corner(draws[i], size, height) for i in (0, 2)]
        lefts = [corner(draws[i], size, width) for i in (1, 3)]
        into, out_of = (
            inside(top, left, size, height, width) for top, left in zip(tops, lefts, strict=True)
        )
        change = state["x"] - state["x0"]
        unused = (eps**2 - change.square().sum((1, 2, 3), keepdim=True)).clamp_min(0)
        there = change * into
        row = 2 * size + (draws[4] < 0.5)
        pattern = placed(table.to(t.device), row, tops[0], lefts[0], (height, width))
        fresh = _signs(draws[PLACES:]) * pattern + there / _length(there)
        held = (change * (into | out_of)).square().sum((2, 3), keepdim=True)
        available = (held + unused / change.shape[1]).sqrt()
        moved = torch.where(into, fresh / _length(fresh) * available, change * ~out_of)
        return state["x0"] + moved

    return propose


def _length(change: Tensor) -> Tensor:
    """Return the Euclidean length of each channel of ``change`` (W, C, H, W), (W, C, 1, 1)."""
    length: Tensor = torch.linalg.vector_norm(change, dim=(2, 3), keepdim=True)
    return length.clamp_min(TINY)
