"""DeepFool: steps to the nearest boundary of the model made linear, until it is crossed."""

import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import ANY_OTHER
from robusteval.attacks._norms import TINY
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH

FORWARD = 1e-4  # added to each distance, which else ends on the boundary or just before it


def deepfool(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    steps: int = 50,
    candidates: int = 10,
    overshoot: float = 0.02,
) -> Adversarials:
    """Return the first wrong x = clip(x0 + (1 + overshoot) r), else the last one.

    Each step adds to r the shortest way in L2 to where, by the slopes at x, the logit of the label
    and that of one of the ``candidates`` would be equal.

    An image costs at most steps + 1 forward passes, and steps backward passes for each candidate
    but the label; it is done as soon as it is wrong.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: nothing is drawn.
        steps: at most.
        candidates: classes that are looked at, the label included, those of the largest logits of
            the clean image. With as many as there are classes it is the paper's attack.
        overshoot: share of the way that is gone beyond the boundary.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Moosavi-Dezfooli, Fawzi, Frossard, "DeepFool: a simple and accurate method to fool deep
        neural networks", CVPR 2016, arXiv 1511.04599, algorithm 2; the clip to [0, 1], which the
        paper leaves unsaid, and the candidates are those of its released code and its successors.
    """
    if not (steps >= 1 and candidates >= 2 and overshoot >= 0):
        raise ValueError(
            f"steps {steps}, candidates {candidates}, overshoot {overshoot}: "
            "at least 1, at least 2 and at least 0 expected"
        )

    def start(state: State, generators: Generators) -> State:
        rivals = state["label"][:, None].expand(-1, candidates - 1)
        return state | {
            "next": state["x0"],
            "way": torch.zeros_like(state["x0"]),
            "rivals": rivals.clone(),  # chosen at the first pass; the label stands for none
        }

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        logits = passes.forward(state["next"])
        reached = ANY_OTHER.reached(logits, state)
        state = state | {"x": state["next"], "success": reached}
        first = state["steps"] == 0
        if first.any():
            rivals = torch.where(first[:, None], _rivals(logits, state), state["rivals"])
            state = state | {"rivals": rivals}
        finished = reached | (state["steps"] == steps)
        way = state["way"] + _shortest(logits, state, passes, ~finished)
        ahead = (state["x0"] + (1 + overshoot) * way).clamp(0, 1)
        return state | {"way": way, "next": ahead, "steps": state["steps"] + ~finished}, finished

    def _rivals(logits: Tensor, state: State) -> Tensor:
        """Return the likeliest classes beside the label, (W, candidates - 1)."""
        others = logits.detach().scatter(1, state["label"][:, None], -torch.inf)
        order = others.sort(dim=1, descending=True, stable=True).indices[:, : candidates - 1]
        order = torch.where(others.gather(1, order).isinf(), state["label"][:, None], order)
        missing = candidates - 1 - order.shape[1]  # classes that the model does not have
        return torch.cat([order, state["label"][:, None].expand(-1, missing)], 1)

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


def _shortest(logits: Tensor, state: State, passes: Passes, where: Tensor) -> Tensor:
    """Return the shortest of the ways (W, C, H, W) to the boundaries with the rivals."""
    own = logits.gather(1, state["label"][:, None]).squeeze(1)
    best = torch.full_like(own.detach(), torch.inf)
    way = torch.zeros_like(state["x"])
    for rival in state["rivals"].T:
        there = where & (rival != state["label"])
        if not there.any():
            continue
        gap = logits.gather(1, rival[:, None]).squeeze(1) - own
        slope = passes.backward(gap, there, last=False)
        steep = torch.linalg.vector_norm(slope, dim=(1, 2, 3)).clamp_min(TINY)
        distance = gap.detach().abs() / steep
        nearer = there & (distance < best) & (steep > TINY)
        best = torch.where(nearer, distance, best)
        step = slope * ((distance + FORWARD) / steep).view(-1, 1, 1, 1)
        way = torch.where(nearer.view(-1, 1, 1, 1), step, way)
    return way
