"""EBD: how far an image is from another class along random directions."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from robusteval.attacks._goal import ANY_OTHER
from robusteval.attacks._inputs import check_inputs
from robusteval.batches import WIDTH, fixed_width
from robusteval.probes._clean import clean_logits
from robusteval.probes._crossing import SEARCHES, SIDES, Crossing, bisected, crossings
from robusteval.probes._directions import directions as orthogonal
from robusteval.probes._several import several

WRONG = "misclassified"
CAPPED = "not reached"
NOT_FINITE = "logits not finite"
COLUMNS = ["row", "sides", "distance", "l2", "moved", "step", "direction", "sign", "crossed"]
COLUMNS += ["directions", "prediction", "forwards", "status"]


def ebd(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Sequence[np.random.Generator] | None = None,
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    sides: str | Sequence[str] = "one",
    directions: int = 1000,
    magnitudes: int = 64,
    step: float = 2 / 255,
    direction_seed: int = 0,
    search: str = "scan",
) -> pd.DataFrame:
    """Return empirical boundary distances of ``images`` (N, C, H, W), a row an image and side.

    The distance d_i is the least root mean square, pixel scale 0 to 1, by which image i has to be
    moved along one of ``directions`` random orthogonal ones until the prediction is not its label;
    EBD is the mean of d_i over images. Moves are whole ``step``s, and images are cut to [0, 1] on
    the way. Larger is better. The directions are the same for all images and models, so that
    models can be compared image by image; an image has at most as many as it has values.

    Columns: row, sides, distance, l2 (the same move as a Euclidean length), moved (root mean square
    of the change that the cut left), step (0 if none), direction, sign (of the nearest ray, the
    first of several), crossed (rays that have left at that step; 1 from "bisect"), directions,
    prediction (there, else that of the image), forwards (of the image as a whole, the same in all
    its rows), and status: "ok"; "not reached", the distance is the largest magnitude, a lower
    bound, and moved is NaN; "misclassified", it is 0 and nothing was tried; "logits not finite", it
    is NaN.

    Args:
        model: maps images to logits (N, K), K at least 2; in evaluation mode; decides the device.
        images: float32 in [0, 1].
        labels: (N,), int64.
        generators: not used.
        batch_size: points a pass.
        progress: called with 1 after each image.
        sides: "one", along each direction, as in the authors' code; "two", along its opposite too;
            or both.
        magnitudes: 0 and the ``magnitudes`` - 1 multiples of ``step`` above it.
        direction_seed: other ones give other directions.
        search: "scan" looks at every magnitude up to the first crossing; "bisect" takes far fewer
            passes, but may step over a ray that leaves the class and comes back: its distance is
            never smaller than that of "scan", and maybe larger.

    Raises:
        ValueError: an argument is not usable.
        ModelError: the logits of the images themselves are not N x K finite numbers.

    Source: arXiv 2101.09617; 1,000 directions and 64 magnitudes of the authors' code. That gives
        images which are wrong from the start 0, as here, or (an earlier version) skips them.
    """
    asked = several(sides, SIDES, "sides")
    if search not in SEARCHES:
        raise ValueError(f"search {search!r}: one of {', '.join(SEARCHES)} expected")
    searched = crossings if search == "scan" else bisected
    if directions < 1 or magnitudes < 2 or not 0 < step < float("inf"):
        raise ValueError(
            f"directions {directions}, magnitudes {magnitudes}, step {step}: at least 1, at least "
            "2 and more than 0 expected"
        )
    check_inputs(model, images, labels, generators, ANY_OTHER)
    device = next(chain(model.parameters(), model.buffers()), images).device
    images = images.to(device, memory_format=torch.contiguous_format)
    said = clean_logits(model, images, labels, batch_size).argmax(1).tolist()
    rays = orthogonal(directions, images[0].numel(), direction_seed).to(device)
    lengths = [number * step for number in range(1, magnitudes)]
    width = fixed_width(batch_size, device)
    rows: list[dict[str, Any]] = []
    for number, (label, own) in enumerate(zip(labels.tolist(), said, strict=True)):
        about: dict[str, Any] = {
            "row": number,
            "directions": len(rays),
            "prediction": own,
            "forwards": 1,
        }
        if own != label:
            none = {"distance": 0.0, "l2": 0.0, "moved": 0.0, "step": 0, "direction": -1}
            about |= none | {"sign": 0, "crossed": 0, "status": WRONG}
            rows += [about | {"sides": side} for side in asked]
        else:
            found, forwards = searched(model, images[number], label, rays, lengths, asked, width)
            about["forwards"] = 1 + forwards
            size = images[number].numel()
            rows += [
                about | {"sides": side} | _reading(crossing, lengths, size, own)
                for side, crossing in found.items()
            ]
        if progress:
            progress(1)
    return pd.DataFrame(rows, columns=COLUMNS)


def _reading(crossing: Crossing, lengths: Sequence[float], size: int, own: int) -> dict[str, Any]:
    """Return what a crossing, or that there is none, says about an image of ``size`` values."""
    values = {
        "step": crossing.step,
        "direction": crossing.direction,
        "sign": crossing.sign,
        "crossed": crossing.crossed,
        "moved": crossing.moved,
        "prediction": crossing.prediction if crossing.crossed else own,
    }
    if not crossing.finite:
        return values | {"distance": float("nan"), "l2": float("nan"), "status": NOT_FINITE}
    distance = lengths[crossing.step - 1] if crossing.step else lengths[-1]
    status = "ok" if crossing.step else CAPPED
    return values | {"distance": distance, "l2": distance * size**0.5, "status": status}
