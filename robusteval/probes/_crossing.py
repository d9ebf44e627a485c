"""Where the prediction first changes along rays from an image: all rays at once, outwards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from robusteval.batches import predict

SIDES = ("one", "two")
SEARCHES = ("scan", "bisect")
GROUP = 64  # rays bisected at a time, however wide a pass is, so that the result is one


@dataclass(frozen=True)
class Crossing:
    """Where the first ray crosses the boundary.

    ``step`` counts magnitudes from 1, or is 0 if none crosses. ``direction`` and ``sign`` are of
    the first ray there, + before -, and -1 and 0 without; ``crossed`` is how many rays there are.
    ``moved`` is the root mean square by which the image differs there, after the cut to [0, 1];
    ``finite`` is false where logits were NaN before any ray crossed.
    """

    step: int = 0
    direction: int = -1
    sign: int = 0
    crossed: int = 0
    prediction: int = -1
    moved: float = float("nan")
    finite: bool = True


def crossings(
    model: nn.Module,
    image: Tensor,
    label: int,
    directions: Tensor,
    magnitudes: Sequence[float],
    sides: Sequence[str],
    batch_size: int,
) -> tuple[dict[str, Crossing], int]:
    """Return the first crossing of rays from ``image`` (C, H, W), by side, and the forward passes.

    All rays are looked at at one magnitude before any is at the next. So the first change that is
    met is that of the smallest magnitude of all rays, whatever a ray does further out, and nothing
    is left out: no bisection, which may miss a ray that leaves the class and comes back.

    Args:
        directions: (m, C * H * W), float32.
        magnitudes: ascending, more than 0; factors of the directions.
        sides: of "one", along the directions, and "two", along them and their opposites.
    """
    found: dict[str, Crossing] = {}
    forwards = 0
    for step, magnitude in enumerate(magnitudes, 1):
        ahead = _at(model, image, label, directions, magnitude, batch_size)
        forwards += len(directions)
        if "one" in sides and "one" not in found and _ends(ahead):
            found["one"] = replace(ahead, step=step)
        if "two" in sides and "two" not in found:
            behind = _at(model, image, label, directions, -magnitude, batch_size)
            forwards += len(directions)
            if _ends(ahead) or _ends(behind):
                nearest = ahead if ahead.crossed else behind
                found["two"] = replace(
                    nearest,
                    step=step,
                    crossed=ahead.crossed + behind.crossed,
                    finite=ahead.finite and behind.finite,
                )
        if len(found) == len(sides):
            break
    return {side: found.get(side, Crossing()) for side in sides}, forwards


def bisected(
    model: nn.Module,
    image: Tensor,
    label: int,
    directions: Tensor,
    magnitudes: Sequence[float],
    sides: Sequence[str],
    batch_size: int,
) -> tuple[dict[str, Crossing], int]:
    """Return what `crossings` does, found by bisection: never a smaller step, maybe a larger one.

    A ray is looked at just before the best step so far, and halved if it has left there. A ray that
    leaves and comes back in between is missed. ``crossed`` counts the rays that have left at the
    step found among those looked at there: 1.
    """
    found: dict[str, Crossing] = {}
    forwards = 0
    for side in sides:
        best = Crossing()
        for sign in (1, -1) if side == "two" else (1,):
            for start in range(0, len(directions), GROUP):
                rays = sign * directions[start : start + GROUP]
                bound = (best.step or len(magnitudes) + 1) - 1
                if not bound:
                    break
                nearest, cost = _halved(model, image, label, rays, magnitudes, bound, batch_size)
                forwards += cost
                if not nearest.finite:
                    best = nearest
                    break
                if nearest.step:
                    best = replace(nearest, direction=start + nearest.direction, sign=sign)
            if not best.finite:
                break
        found[side] = best
    return found, forwards


def _halved(
    model: nn.Module,
    image: Tensor,
    label: int,
    rays: Tensor,
    magnitudes: Sequence[float],
    bound: int,
    batch_size: int,
) -> tuple[Crossing, int]:
    """Return the nearest crossing of ``rays`` up to step ``bound``, by bisection, and its cost."""
    low = torch.zeros(len(rays), dtype=torch.int64)  # the last step at which a ray had not left
    high = torch.full_like(low, bound)  # the first at which it had, if it had
    open_rays = torch.arange(len(rays))
    at = high.clone()
    prediction = torch.full_like(low, label)
    forwards = 0
    lengths = torch.tensor([0.0, *magnitudes])
    while len(open_rays):
        factors = lengths[at[open_rays]].to(image.device)
        moves = factors[:, None] * rays[open_rays.to(rays.device)]
        points = (image + moves.view(-1, *image.shape)).clamp(0, 1)
        logits = predict(model, points, batch_size=batch_size)
        forwards += len(points)
        if logits.isnan().any():
            return Crossing(finite=False), forwards
        said = logits.argmax(1).cpu()
        left = said != label
        prediction[open_rays[left]] = said[left]
        high[open_rays[left]] = at[open_rays[left]]
        low[open_rays[~left]] = at[open_rays[~left]]
        open_rays = open_rays[high[open_rays] - low[open_rays] > 1]
        at = (low + high) // 2
    crossed = prediction != label
    if not crossed.any():
        return Crossing(), forwards
    ray = int(torch.where(crossed, high, bound + 1).argmin())
    step = int(high[ray])
    move = magnitudes[step - 1] * rays[ray].view(image.shape)
    change = ((image + move).clamp(0, 1) - image).to(torch.float64)
    moved = float(change.square().mean().sqrt())
    return Crossing(step, ray, 1, 1, int(prediction[ray]), moved), forwards


def _ends(crossing: Crossing) -> bool:
    return crossing.crossed > 0 or not crossing.finite


def _at(
    model: nn.Module,
    image: Tensor,
    label: int,
    directions: Tensor,
    magnitude: float,
    batch_size: int,
) -> Crossing:
    """Return which rays have left the class at one magnitude; its ``step`` is not known here."""
    found = Crossing(sign=1 if magnitude > 0 else -1)
    for start in range(0, len(directions), batch_size):
        moves = directions[start : start + batch_size].view(-1, *image.shape)
        points = (image + magnitude * moves).clamp(0, 1)
        logits = predict(model, points, batch_size=batch_size)
        if logits.isnan().any():
            return Crossing(finite=False)
        said = logits.argmax(1)
        away = (said != label).nonzero()[:, 0].tolist()
        if away and not found.crossed:
            first = away[0]
            change = (points[first] - image).to(torch.float64)
            found = replace(
                found,
                direction=start + first,
                prediction=int(said[first]),
                moved=float(change.square().mean().sqrt()),
            )
        found = replace(found, crossed=found.crossed + len(away))
    return found
