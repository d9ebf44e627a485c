"""AutoAttack, standard version: APGD-CE, targeted APGD, targeted FAB and Square, one by one."""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._passes import Passes
from robusteval.attacks._questions import Ask, Asking, Question, answered
from robusteval.attacks._standard import NAMES, attempt
from robusteval.attacks._task import Task, generators_kept
from robusteval.batches import WIDTH

RELATIVE, ABSOLUTE = 1e-6, 6e-7  # what float32 may add to a distance

Tasks = dict[int, Task[Question, Tensor]]


def autoattack(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators = None,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
    eps: float,
    norm: str = "linf",
    target_classes: int = 9,
    steps: int = 100,
    queries: int = 5000,
) -> Adversarials:
    """Return the image with which the first of four attacks succeeds, else the best of Square.

    The attacks are those of the package pyautoattack, in its order and with its settings; an image
    that one has broken is not given to the next. With the defaults, an image that none breaks costs
    7,853 forward passes, of which 5,003 are Square's, and 1,910 backward passes. On one core such
    an image of 28 x 28 pixels took 7 s with a network whose pass takes 0.1 ms an image, most of it
    in the package; one that the first attack breaks, 0.1 s.

    The package draws from torch's global generator, for a whole batch at once, and Square moves one
    square for all images of a batch. Here it gets each image by itself, with a seed and a stream of
    random numbers of its own; the passes that images ask for at a time are made as one. An image's
    result is therefore that of the package for this image alone, and global generators stay as
    they were. The package's arithmetic runs on the CPU whatever the model's device. Its own checks
    (randomised, dynamic, probabilities as output) are left to the checks of a model.

    Caveats, of the method: it is an ensemble for deterministic models with gradients; against
    randomised ones, those that change as they are used, or masked gradients, the paper asks for
    adaptive attacks. What only Square breaks hints at masked gradients. The losses but
    cross-entropy do not see the scale of the logits; cross-entropy does, and may vanish. Numbers
    are comparable with RobustBench's at its budgets and the default settings only.

    Args:
        model, images, labels, batch_size, progress: see `robusteval.attacks._engine.run`.
        generators: one an image.
        eps: radius of the ball in ``norm``, pixel scale 0 to 1.
        norm: linf or l2.
        target_classes: the likeliest classes beside the label that the targeted attacks try; 9 in
            the standard version. A model of fewer classes is refused, never attacked with less.
        steps: of APGD, and of FAB for each target; 100 in the standard version.
        queries: of Square; 5000 in the standard version.

    Raises:
        ValueError, ModelError: see `robusteval.attacks._engine.run`; the model has too few classes.

    Source: Croce and Hein, "Reliable evaluation of adversarial robustness with an ensemble of
        diverse parameter-free attacks", ICML 2020, arXiv 2003.01690; pyautoattack 0.2.0.
    """
    if norm not in NAMES:
        raise ValueError(f"norm {norm!r}: one of {', '.join(NAMES)} expected")
    if not (eps > 0 and target_classes >= 1 and steps >= 1 and queries >= 1):
        raise ValueError(
            f"eps {eps}, target_classes {target_classes}, steps {steps}, queries {queries}: "
            "more than 0 and three times at least 1 expected"
        )
    if generators is None:
        raise ValueError("AutoAttack begins at random: generators expected, one an image")
    if norm == "l2" and not _tiled(*images.shape[-2:]):
        raise ValueError(
            f"images of {' x '.join(map(str, images.shape[-2:]))} pixels: Square of pyautoattack "
            "has no first grid for this size in l2; squares of 25 pixels a side and more work"
        )
    settings: dict[str, Any] = {"eps": eps, "norm": norm, "target_classes": target_classes}
    settings |= {"steps": steps, "queries": queries}
    tasks: Tasks = {}

    def start(state: State, generators: Generators) -> State:
        assert generators is not None
        for row, index in enumerate(state["index"].tolist()):
            x, label = (state[key][row : row + 1].cpu() for key in ("x0", "label"))
            seed = int(generators[row].integers(2**31))
            tasks[index] = Task(partial(_work, x=x, label=label, seed=seed, **settings))
        return state

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        asked, logits = answered(state, passes, tasks)
        shift = (asked - state["x0"]).flatten(1)
        length = torch.linalg.vector_norm(shift, torch.inf if norm == "linf" else 2, dim=1)
        # FAB looks outside of the ball, and each attack looks at the clean image again.
        moved = (length > 0) & (length <= eps * (1 + RELATIVE) + ABSOLUTE)
        wrong = logits.argmax(1) != state["label"]
        done = [tasks[index].done for index in state["index"].tolist()]
        return state | {
            "x": torch.where(moved.view(-1, 1, 1, 1), asked, state["x"]),
            "success": torch.where(moved | (state["steps"] == 0), wrong, state["success"]),
            "steps": state["steps"] + moved,
        }, torch.tensor(done, device=asked.device)

    try:
        with generators_kept():  # the package seeds those of all devices
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
    attempt(Asking(ask), x, label, **settings)


def _tiled(height: int, width: int) -> bool:
    """Return whether the grid of squares that the package's Square begins with in l2 fits."""
    side = height // 5
    first = (height - side * 5) // 2  # for both axes
    return side > 0 and all(first + n // side * side <= n for n in (height, width))
