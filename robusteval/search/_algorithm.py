"""Algorithm 1 on a batch of slots: judge an image, then keep it and step on, or end the search."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.attacks._adversarials import NOT_FINITE, ZERO_GRADIENT
from robusteval.generators._generator import Generator, straight_through
from robusteval.models._errors import ModelError
from robusteval.oracles._oracle import Oracle
from robusteval.search._inputs import check_logits
from robusteval.search._slots import State
from robusteval.search.steps._rule import Memory, Rule

MEMORY = "memory."  # before the names of what a rule remembers


def fresh(
    which: slice, x0: Tensor, labels: Tensor, latents: Tensor, memory: Memory, budget: int
) -> State:
    """Return the state of images (N, C, H, W) that nobody has judged."""
    zeros = torch.zeros_like(labels)
    return {
        "index": torch.arange(which.start, which.start + len(x0), device=x0.device),
        "x0": x0,
        "label": labels,
        "x": x0,
        "round_trip": x0,
        "latents": latents,  # to be decoded and judged next
        "kept": latents,  # those of x
        "accepted": zeros,
        "tries": zeros,
        "losses": torch.full((len(x0), budget + 1), torch.nan, device=x0.device),
        "right": torch.zeros(len(x0), budget + 1, dtype=torch.bool, device=x0.device),
        "odd": zeros,
        **{MEMORY + key: values for key, values in memory.items()},
    }


def advanced(
    state: State,
    model: nn.Module,
    generator: Generator,
    oracle: Oracle | None,
    *,
    move: Rule,
    mask: Tensor | None,
    budget: int,
    eight_bit: bool,
) -> tuple[State, Tensor]:
    """Return the state after the next image has been judged, and which slots (W,) are finished."""
    latents = state["latents"].detach().requires_grad_()
    image = generator.decode(latents)
    if eight_bit:
        image = straight_through(image, (image.detach() * 255).round() / 255)
    seen = image.detach()
    clear = seen.isfinite().flatten(1).all(1)
    with torch.no_grad():
        # In the layout of an image read from disk, as another one may round otherwise.
        shown = _at(clear, seen, state["x0"]).contiguous()
        accepted = clear if oracle is None else clear & oracle.accepts(shown, state["label"])
    logits = model(image)
    check_logits(logits, state["label"])
    loss = F.cross_entropy(logits, state["label"], reduction="none")
    known = clear & loss.isfinite()
    if (first := ~known & (state["tries"] == 0)).any():
        raise ModelError(
            f"the round trip or the loss of it is not finite for {len(set(_images(state, first)))} "
            f"images, the first at {min(_images(state, first))}"
        )
    taken = accepted & known
    on = taken & (state["tries"] < budget)
    gradient = torch.zeros_like(latents)
    if on.any():
        (gradient,) = torch.autograd.grad(loss.sum(), latents)
    usable = gradient.isfinite().flatten(1).all(1)
    free = gradient if mask is None else gradient * mask
    flat = on & usable & (free == 0).flatten(1).all(1)
    on &= usable
    memory = {k.removeprefix(MEMORY): v for k, v in state.items() if k.startswith(MEMORY)}
    by, memory = move(gradient, memory)
    broken = ~known | taken & ~usable
    odd = torch.maximum(state["odd"], flat * ZERO_GRADIENT).masked_fill(broken, NOT_FINITE)
    now = latents.detach()
    return {
        **state,
        "x": _at(taken, seen, state["x"]),
        "round_trip": _at(state["tries"] == 0, seen, state["round_trip"]),
        "latents": _at(on, generator.step(now, by, mask), now),
        "kept": _at(taken, now, state["kept"]),
        "accepted": state["accepted"] + taken,
        "losses": state["losses"].scatter(1, state["tries"][:, None], loss.detach()[:, None]),
        "right": state["right"].scatter(
            1, state["tries"][:, None], (logits.argmax(1) == state["label"])[:, None]
        ),
        "tries": state["tries"] + 1,
        "odd": odd,
        **{MEMORY + key: values for key, values in memory.items()},
    }, ~on


def _at(where: Tensor, values: Tensor, others: Tensor) -> Tensor:
    """Return the rows of ``values`` (W, ...) ``where`` (W,) that is so, else of ``others``."""
    return torch.where(where.view(-1, *[1] * (values.ndim - 1)), values, others)


def _images(state: State, where: Tensor) -> list[int]:
    found: list[int] = state["index"][where].tolist()
    return found
