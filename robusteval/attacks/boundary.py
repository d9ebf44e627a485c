"""Boundary attack: a walk along the decision boundary towards the image; sees decisions alone."""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from robusteval.attacks import _best
from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._decisions import walked
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import ANY_OTHER
from robusteval.attacks._passes import Passes
from robusteval.attacks._questions import Ask, Asking, Question, answered
from robusteval.attacks._task import Task, generators_kept
from robusteval.batches import WIDTH


def boundary(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    eps: float | None = None,
    queries: int = 25_000,
    draws: int = 1000,
    spherical_step: float = 0.01,
    source_step: float = 0.01,
    step_adaptation: float = 1.5,
) -> Adversarials:
    """Return the nearest wrong image in L2 that the walk of the package foolbox came to.

    It begins at the first of ``draws`` images of uniform noise that is wrong, brought nearer by
    bisection. The package draws from torch's global generator, for a whole batch at once; here it
    gets each image by itself, with a seed and a stream of random numbers of its own, and the passes
    that images ask for at a time are made as one. Its arithmetic runs on the CPU.

    An image costs at most queries + 1 forward passes, the clean one included, 1 more with ``eps``,
    and no backward pass. Where no noise is wrong, the last one is handed back.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image.
        eps: radius in L2, pixel scale 0 to 1, to be held against attacks of a fixed budget: the
            walk ends as soon as a wrong image is as near, and else its nearest one is brought into
            the ball, where it may well be right.
        queries: of the model, at most, beside the clean image.
        draws: of noise, at most.
        spherical_step: first length of a step around the image, relative to its distance.
        source_step: first length of a step towards it, relative to its distance.
        step_adaptation: factor by which both change.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`.

    Source: Brendel, Rauber, Bethge, "Decision-based adversarial attacks", ICLR 2018, arXiv
        1712.04248; foolbox 3.3.4, whose own differences from the paper's code hold here too.
    """
    if not (queries >= 1 and draws >= 1 and (eps is None or eps > 0)):
        raise ValueError(
            f"queries {queries}, draws {draws}, eps {eps}: at least 1, at least 1, and more than 0 "
            "or none expected"
        )
    if not (spherical_step > 0 and source_step > 0 and step_adaptation > 1):
        raise ValueError(
            f"spherical_step {spherical_step}, source_step {source_step}, step_adaptation "
            f"{step_adaptation}: more than 0, more than 0 and more than 1 expected"
        )
    if generators is None:
        raise ValueError("the walk is random: generators expected, one an image")
    settings: dict[str, Any] = {"queries": queries, "draws": draws, "eps": eps, "steps": queries}
    settings |= {"spherical_step": spherical_step, "source_step": source_step}
    settings |= {"step_adaptation": step_adaptation}
    tasks: dict[int, Task[Question, Tensor]] = {}

    def start(state: State, generators: Generators) -> State:
        assert generators is not None
        for row, index in enumerate(state["index"].tolist()):
            x, label = (state[key][row : row + 1].cpu() for key in ("x0", "label"))
            seed = int(generators[row].integers(2**31))
            tasks[index] = Task(partial(_work, x=x, label=label, seed=seed, **settings))
        return _best.begin(state)

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        asked, logits = answered(state, passes, tasks)
        wrong = ANY_OTHER.reached(logits, state)
        change = (asked - state["x0"]).flatten(1)
        distance = torch.linalg.vector_norm(change, dim=1)
        state = _best.kept(state, asked, distance, wrong, wrong)
        done = [tasks[index].done for index in state["index"].tolist()]
        finished = torch.tensor(done, device=asked.device)
        if eps is not None and finished.any():  # the last one is that in the ball
            last = finished.view(-1, 1, 1, 1)
            state = state | {
                "x": torch.where(last, asked, state["x"]),
                "success": torch.where(finished, wrong, state["success"]),
            }
        return state | {"steps": state["steps"] + (distance > 0)}, finished

    try:
        with generators_kept():  # tasks seed those of all devices
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
    finally:
        for task in tasks.values():
            task.abandon()


def _work(ask: Ask, x: Tensor, label: Tensor, **settings: Any) -> None:
    walked(Asking(ask), x, label, **settings)
