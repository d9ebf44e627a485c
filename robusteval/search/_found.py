"""What a search returns, and its trace as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:  # tables read traces, and torch takes longer than they do
    from torch import Tensor


@dataclass(frozen=True)
class Found:
    """What a search made of N images; all tensors on the CPU.

    Attributes:
        images: (N, C, H, W), float32 in [0, 1]: the last image that the oracle accepted, or the
            original where it rejected even the round trip.
        round_trips: (N, C, H, W), the plain round trips.
        latents: (N, D, h, w), those of ``images``; of the round trip where ``images`` has the
            original.
        valid: (N,), bool, whether the oracle accepts ``images``, that is, the round trip.
        steps: (N,), int64, accepted latent steps.
        tries: (N,), int64, images that were judged, the round trip among them: each cost a decoding
            and a forward pass of model and oracle, all but the last one a backward pass.
        losses: (N, budget + 1), float32, the model's cross-entropy after 0, 1, ... steps, that of a
            rejected last one included; NaN after it.
        right: (N, budget + 1), bool, whether the model was right about them; false after the last.
        odd: (N,), int64, a code of `robusteval.attacks._adversarials`, 0 if nothing was odd.
    """

    images: Tensor
    round_trips: Tensor
    latents: Tensor
    valid: Tensor
    steps: Tensor
    tries: Tensor
    losses: Tensor
    right: Tensor
    odd: Tensor


def trace(found: Mapping[str, Tensor], image_id: NDArray[np.int64]) -> pd.DataFrame:
    """Return a row for each image that was judged: image_id, step, loss, right and accepted.

    ``found`` has these fields of `Found`: tries, steps, valid, losses and right. Step 0 is the
    round trip. ``accepted`` is true up to the image that was handed back.
    """
    tries = found["tries"].numpy()
    row = np.repeat(np.arange(len(tries)), tries)
    step = np.arange(len(row)) - np.repeat(np.cumsum(tries) - tries, tries)
    return pd.DataFrame(
        {
            "image_id": np.asarray(image_id)[row],
            "step": step,
            "loss": found["losses"].numpy()[row, step],
            "right": found["right"].numpy()[row, step],
            "accepted": found["valid"].numpy()[row] & (step <= found["steps"].numpy()[row]),
        }
    )


def check_accepted(valid: NDArray[np.bool_], generator: str, oracle: str) -> None:
    """Check that the oracle accepted at least one of the round trips, ``valid`` (N,).

    Raises:
        ValueError: it accepted none; there is nothing to measure then.
    """
    if not valid.any():
        raise ValueError(
            f"oracle {oracle} rejects the round trips of generator {generator} of all {len(valid)} "
            "images: train the generator longer, or see whether both have the same classes in the "
            "same order"
        )
