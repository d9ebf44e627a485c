"""Images that a model finds hard, searched in a latent space within what an oracle accepts."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from robusteval.batches import WIDTH, fixed_width, padded
from robusteval.generators._generator import Generator
from robusteval.oracles._oracle import Oracle
from robusteval.search._algorithm import advanced, fresh
from robusteval.search._found import Found
from robusteval.search._inputs import check_latents, check_search
from robusteval.search._slots import State, run
from robusteval.search.steps._rule import rule

HANDED_BACK = ("x", "round_trip", "kept", "accepted", "tries", "losses", "right", "odd")


@torch.enable_grad()
def latent_search(
    model: nn.Module,
    generator: Generator,
    oracle: Oracle | None,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Sequence[np.random.Generator] | None = None,
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    budget: int = 50,
    step_size: float = 0.001,
    step: str = "sign",
    settings: Mapping[str, Any] | None = None,
    mask: Tensor | None = None,
    eight_bit: bool = True,
) -> Found:
    """Return the last image of each search that the oracle accepts.

    It starts at the latents z of the round trip. While the oracle's class of the decoded image is
    the label, z moves by one step that raises the model's cross-entropy; at the first image that
    the oracle rejects the search ends for good, and the one before is kept. An image whose round
    trip is rejected is handed back as it was. Being misclassified does not end a search.

    Args:
        model: maps images to logits (N, K); in evaluation mode; decides the device.
        oracle: None accepts everything, as a control.
        images, labels: (N, C, H, W), float32 in [0, 1]; and (N,), int64.
        generators: one an image; for a rule that draws.
        batch_size: slots; the width of passes is `robusteval.batches.fixed_width`, or less where
            that does not fit in memory.
        progress: called with the number of images just done, whenever some are.
        budget: steps at most. 50 is recalled of the published method, seen in no source.
        step_size: of a step, in latents. 0.001 is recalled, seen in no source; how far it goes
            depends on the size of the latents.
        step, settings: a rule of ``robusteval/search/steps`` and what it is given besides. No
            source names the published rule; sign is this project's.
        mask: (D, h, w), bool, the latents that may move; see `robusteval.search.sparse_mask`.
        eight_bit: judge images rounded to 256 levels, so that what is stored is what was judged;
            gradients pass the rounding.

    Raises:
        ValueError: an argument is not usable.
        ModelError: logits or probabilities have a wrong shape, or those of a round trip are not
            finite. If that happens later the search ends there and is marked `NOT_FINITE`.

    Source: Zhang et al., "Foundation model-oriented robustness", ICLR 2024, arXiv 2308.10632,
        algorithm 1 in structure; that latents are those before the codebook and are walked in
        without encoding again is recalled or this project's.
    """
    networks = {"model": model, "generator": generator, "oracle": oracle}
    check_search(networks, images, labels, generators, budget, step_size)
    device = next(chain(model.parameters(), model.buffers()), images).device
    start, move = rule(step, step_size, settings)
    mask = mask if mask is None else mask.to(device)
    room: State = {}

    def arrive(which: slice, width: int) -> State:
        x0 = images[which].to(device, copy=True, memory_format=torch.contiguous_format)
        with torch.no_grad():
            latents = generator.encode(padded(x0, width))
            if which.start == 0:
                check_latents(latents, generator.decode(latents), x0, mask)
        latents = latents[: len(x0)].contiguous()
        memory = start(latents, generators and generators[which])
        return fresh(which, x0, labels[which].to(device), latents, memory, budget)

    def advance(state: State) -> tuple[State, Tensor]:
        return advanced(
            state,
            model,
            generator,
            oracle,
            move=move,
            mask=mask,
            budget=budget,
            eight_bit=eight_bit,
        )

    def leave(rows: State) -> None:
        for key in HANDED_BACK:
            values = rows[key].cpu()
            if key not in room:
                room[key] = torch.zeros(len(images), *values.shape[1:], dtype=values.dtype)
            room[key][rows["index"].cpu()] = values
        if progress:
            progress(len(rows["index"]))

    run(
        len(images),
        arrive=arrive,
        step=advance,
        leave=leave,
        width=fixed_width(batch_size, device),
        module=generator,
    )
    return Found(
        images=room["x"],
        round_trips=room["round_trip"],
        latents=room["kept"],
        valid=room["accepted"] > 0,
        steps=(room["accepted"] - 1).clamp(min=0),
        tries=room["tries"],
        losses=room["losses"],
        right=room["right"],
        odd=room["odd"],
    )
