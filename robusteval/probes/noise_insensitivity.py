"""Noise insensitivity: how the loss of an image changes when noise comes to it."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import torch.nn.functional as F
from torch import Tensor, nn

from robusteval.attacks._goal import ANY_OTHER
from robusteval.attacks._inputs import check_inputs
from robusteval.batches import WIDTH, predict
from robusteval.probes._clean import clean_logits
from robusteval.probes._noisy import PAPER, Noises, check_noises, keys_of, noisy

COLUMNS = ["row", "noise", "loss", "noisy_loss", "distance", "insensitivity"]
COLUMNS += ["prediction", "noisy_prediction", "status"]


def noise_insensitivity(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Sequence[np.random.Generator],
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    noises: Noises = PAPER,
) -> pd.DataFrame:
    """Return losses of ``images`` (N, C, H, W) and noisy copies, a row an image and noise.

    ``insensitivity`` is ``|l(x, y) - l(mu, y)| / ||x - mu||_inf`` for one copy mu; the mean over
    rows, which `robusteval.metrics.eni` takes, is the eps-empirical noise insensitivity. Lower is
    better.

    Columns: row, noise, loss and noisy_loss (cross-entropy with the label, nats), distance (largest
    change of a value, pixel scale 0 to 1), insensitivity, prediction, noisy_prediction, and status:
    "ok"; "not changed", the copy is the image and the insensitivity NaN; "logits not finite", those
    of the copy.

    Args:
        model: maps images to logits (N, K), K at least 2; in evaluation mode; decides the device.
        images: float32 in [0, 1].
        labels: (N,), int64.
        generators: one an image.
        batch_size: images a pass.
        progress: called with the number of images done.
        noises: by name, settings with a ``kind``: gaussian with ``sd``, uniform with ``eps``,
            corruption with ``name``, ``severity`` and ``family``, attack with ``name`` and what
            that attack takes.

    Raises:
        ValueError: an argument is not usable.
        ModelError: the logits of the images themselves are not N x K finite numbers, or an attack
            cannot use the model.

    Source: arXiv 2101.09617; Liu et al., arXiv 1909.09034.
    """
    check_noises(noises)
    check_inputs(model, images, labels, generators, ANY_OTHER)
    keys = keys_of(generators, len(images))
    clean = clean_logits(model, images, labels, batch_size)
    losses = F.cross_entropy(clean, labels.cpu(), reduction="none").tolist()
    said = clean.argmax(1).tolist()
    device = next(chain(model.parameters(), model.buffers()), images).device
    rows: list[dict[str, Any]] = []
    for label, noise in noises.items():
        copies = noisy(model, images, labels, keys, label, noise, batch_size)
        logits = predict(model, copies.to(device), batch_size=batch_size).double().cpu()
        change = (copies - images.cpu()).abs().flatten(1).amax(1).double().tolist()
        after = F.cross_entropy(logits, labels.cpu(), reduction="none").tolist()
        finite = logits.isfinite().all(1).tolist()
        for i, distance in enumerate(change):
            usable = finite[i] and distance > 0
            status = "ok" if usable else "not changed" if finite[i] else "logits not finite"
            rows.append(
                {
                    "row": i,
                    "noise": label,
                    "loss": losses[i],
                    "noisy_loss": after[i] if finite[i] else float("nan"),
                    "distance": distance,
                    "insensitivity": abs(losses[i] - after[i]) / distance
                    if usable
                    else float("nan"),
                    "prediction": said[i],
                    "noisy_prediction": int(logits[i].argmax()),
                    "status": status,
                }
            )
    if progress:
        progress(len(images))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.sort_values("row", kind="stable", ignore_index=True)
