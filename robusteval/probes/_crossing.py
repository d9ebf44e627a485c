"""Where the prediction first changes along rays from an image: all rays at once, outwards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from robusteval.batches import predict

SIDES = ("one", "two")


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
