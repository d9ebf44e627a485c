"""The walk that gradient attacks with a budget share: a number of steps, then a verdict."""

from collections.abc import Callable

from torch import Tensor, nn

from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._engine import Generators, Progress, State, run
from robusteval.attacks._goal import ANY_OTHER, Goal
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH

Start = Callable[[State, Generators], State]
Move = Callable[[State, Tensor], State]


def walk(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Generators,
    steps: int,
    move: Move,
    start: Start | None = None,
    early_stop: bool = False,
    goal: Goal = ANY_OTHER,
    batch_size: int = WIDTH,
    progress: Progress | None = None,
) -> Adversarials:
    """Return the image that each of ``images`` has become after ``steps`` moves.

    Every image costs steps + 1 forward passes and steps backward passes; fewer with ``early_stop``.

    Args:
        move: maps the state and the gradient (W, C, H, W) of what is to grow to what changes in
            the state: ``next``, the next image, and whatever else. ``x`` is the image so far.
        start: maps the state of arriving images and their generators to what is added to it:
            ``next`` if the walk does not begin at the clean image, and whatever else.
        early_stop: hand an image back as soon as the goal is reached, maybe before the first step.
        model, images, labels, generators, goal, batch_size, progress: see
            `robusteval.attacks._engine.run`.
    """

    def begin(state: State, generators: Generators) -> State:
        state = state | {"next": state["x0"]}
        return state | start(state, generators) if start else state

    def step(state: State, passes: Passes) -> tuple[State, Tensor]:
        logits = passes.forward(state["next"])
        success = goal.reached(logits, state)
        state = state | {"x": state["next"], "success": success}
        finished = (state["steps"] == steps) | (success & early_stop)
        gradient = passes.backward(goal.climbed(logits, state), ~finished)
        return state | move(state, gradient) | {"steps": state["steps"] + ~finished}, finished

    return run(
        model,
        images,
        labels,
        generators=generators,
        start=begin,
        step=step,
        goal=goal,
        batch_size=batch_size,
        progress=progress,
    )
