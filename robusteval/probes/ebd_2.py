"""EBD-2: how many small steps along the gradient's sign an image is from another class."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from robusteval.attacks._adversarials import NOT_FINITE, ZERO_GRADIENT, Adversarials
from robusteval.attacks._engine import State
from robusteval.attacks._goal import ANY_OTHER, Goal
from robusteval.attacks._inputs import check_inputs
from robusteval.attacks._walk import walk
from robusteval.batches import WIDTH
from robusteval.probes._clean import clean_logits, gradients_needed

REFERENCES = ("prediction", "label")
ANY = -1  # in place of a class: whichever comes first
COLUMNS = ["row", "class", "steps", "distance", "prediction", "forwards", "backwards", "status"]


def ebd_2(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Sequence[np.random.Generator] | None = None,
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    step_size: float = 0.0005,
    steps: int = 1000,
    per_class: bool = False,
    reference: str = "prediction",
) -> pd.DataFrame:
    """Return how many steps each of ``images`` (N, C, H, W) is from another class, a row an image.

    x <- clip(x + step_size * sign(grad J(x, y))) until the prediction is another one; J is the
    cross-entropy, and there is no ball. With ``per_class`` a row for each other class t follows, of
    x <- clip(x - step_size * sign(grad J(x, t))) until the prediction is t. Larger is better.

    Columns: row, class (t, or -1), steps, distance (largest change of a value, pixel scale 0 to 1),
    prediction (of the image), forwards, backwards, and status: "ok"; "not reached", the steps are
    ``steps`` and a lower bound (the reference platform drops such images, so that very robust
    models look weaker; count them, and report their share); "no gradient", one was 0 everywhere on
    the way and another class was not reached; "gradients not finite"; "misclassified", the steps
    are 0, with ``reference`` "label" only.

    Args:
        model: maps images to logits (N, K), K at least 2; in evaluation mode; decides the device.
        images: float32 in [0, 1].
        labels: (N,), int64.
        generators: not used.
        batch_size: images a pass.
        progress: called with the number of images done.
        step_size: of a value of the image, pixel scale 0 to 1.
        steps: the most there are.
        reference: y is the model's own "prediction", as in the platform, or the "label".

    Raises:
        ValueError: an argument is not usable.
        ModelError: the logits of the images themselves are not N x K finite numbers, the first
            gradient of an image is not finite, or the model has no gradient.

    Source: arXiv 2101.09617; step and count of the authors' platform.
    """
    if reference not in REFERENCES:
        raise ValueError(f"reference {reference!r}: one of {', '.join(REFERENCES)} expected")
    if not (0 < step_size <= 1 and steps >= 1):
        raise ValueError(
            f"step_size {step_size}, steps {steps}: from 0 to 1 and at least 1 expected"
        )
    check_inputs(model, images, labels, generators, ANY_OTHER)
    labels = labels.cpu()  # the logits are there too
    logits = clean_logits(model, images, labels, batch_size)
    said = logits.argmax(1)
    own = said if reference == "prediction" else labels

    def move(state: State, gradient: Tensor) -> State:
        return {"next": (state["x"] + step_size * gradient.sign()).clamp(0, 1)}

    rows: list[dict[str, Any]] = []
    for target in [ANY, *range(logits.shape[1])] if per_class else [ANY]:
        # A misclassified image is where its label says it should not be: no class is left to reach.
        chosen = (own != target).nonzero()[:, 0]
        if target != ANY:
            chosen = chosen[said[chosen] == own[chosen]]
        if not len(chosen):
            continue
        with gradients_needed("EBD-2"):
            found = walk(
                model,
                images[chosen],
                own[chosen],
                generators=None,
                steps=steps,
                move=move,
                early_stop=True,
                goal=ANY_OTHER if target == ANY else Goal(torch.full_like(chosen, target)),
                batch_size=batch_size,
            )
        change = (found.images - images[chosen].cpu()).abs().flatten(1).amax(1).double()
        for i, row in enumerate(chosen.tolist()):
            wrong = bool(said[row] != own[row])
            about = {"row": row, "class": target, "prediction": int(said[row])}
            rows.append(about | _reading(found, i, float(change[i]), wrong))
    if progress:
        progress(len(images))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.sort_values(["row", "class"], ignore_index=True)


def _reading(found: Adversarials, i: int, distance: float, wrong: bool) -> dict[str, Any]:
    """Return what became of the walk ``i``, which moved ``distance``."""
    status = "ok"
    if wrong:
        status = "misclassified"
    elif found.odd[i] == NOT_FINITE:
        status = "gradients not finite"
    elif not found.success[i]:
        status = "no gradient" if found.odd[i] == ZERO_GRADIENT else "not reached"
    return {
        "steps": int(found.steps[i]),
        "distance": distance,
        "forwards": 1 + int(found.forwards[i]),
        "backwards": int(found.backwards[i]),
        "status": status,
    }
