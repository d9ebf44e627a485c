"""What a model and oracles say about searched images, as they are stored, and their originals."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import nn

from robusteval.batches import WIDTH, as_tensor
from robusteval.images._image_set import ImageSet
from robusteval.models._evaluate import evaluate
from robusteval.oracles._oracle import Oracle, judged
from workflow_scripts._searched_shards import COSTS

PASS = 8 * WIDTH  # images in memory at a time


def verdicts(
    model: nn.Module,
    oracles: Mapping[str, Oracle],
    originals: NDArray[np.uint8],
    labelled: pd.DataFrame,
    found: ImageSet,
    *,
    batch_size: int,
    device: str,
) -> tuple[pd.DataFrame, NDArray[np.float32]]:
    """Return a row an image, originals (N, H, W, C) first, and the model's logits.

    Each of ``oracles`` (column: oracle) says in its column where it accepts an image, and in
    ``<column>_prediction`` what it sees. ``labelled`` is the index of the originals.

    Raises:
        ModelError: the model or an oracle does not answer as it must.
    """
    frame = pd.concat([labelled, found.index], ignore_index=True)
    classes = len(found.card["classes"])
    logits = np.concatenate(
        [
            evaluate(model, part, classes=classes, device=device, batch_size=batch_size)
            for part in (originals, found.images)
        ]
    )
    frame["prediction"] = logits.argmax(1)
    labels = torch.from_numpy(frame["label"].to_numpy(copy=True))
    for column, oracle in oracles.items():
        seen, accepted, start = [], [], 0
        for block in _blocks(originals, found.images):
            known = labels[start : start + len(block)].to(device)
            said, yes = judged(oracle, as_tensor(block).to(device), known, batch_size=batch_size)
            seen.append(said.argmax(1).cpu().numpy())
            accepted.append(yes.cpu().numpy())
            start += len(block)
        frame[column] = np.concatenate(accepted)
        frame[f"{column}_prediction"] = np.concatenate(seen)
    return frame, logits


def with_costs(frame: pd.DataFrame, costs: pd.DataFrame, before: int) -> pd.DataFrame:
    """Return ``frame`` with the ``costs`` of its rows after the first ``before``.

    Those are originals and round trips, which took no step; valid is what the oracle accepts.
    """
    first = pd.DataFrame(dict.fromkeys(COSTS, 0), index=range(before))
    first["valid"] = frame["accepted"].iloc[:before]
    whole = pd.concat([first, costs], ignore_index=True)
    assert len(whole) == len(frame), (len(whole), len(frame))
    return frame.assign(**whole.astype({"valid": bool}))


def _blocks(*sets: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    for images in sets:
        for start in range(0, len(images), PASS):
            yield images[start : start + PASS]
