"""Slots and a queue: finished images leave the batch, and the next ones come in.

The idea of `robusteval.attacks._engine`, for searches through more than one network. Every pass has
one fixed width, so no image's result depends on its batch, its place or its neighbours. Only on a
CPU, where widths 16, 32 and 64 agree to the bit, do the last images have narrower passes.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from robusteval.batches import padded
from robusteval.memory import FAILURES, SMALLEST, fitting, narrower

State = dict[str, Tensor]  # first dimension: the image


def run(
    count: int,
    *,
    arrive: Callable[[slice, int], State],
    step: Callable[[State], tuple[State, Tensor]],
    leave: Callable[[State], None],
    width: int,
    module: nn.Module,
) -> None:
    """Carry ``count`` images through as many steps as each of them needs.

    Args:
        arrive: returns the state of images, given a slice of them and the width of passes; asked
            for as many at a time as one pass takes, which then wait for a slot.
        step: returns the next state of ``width`` slots, and which of them (W,) are finished. It
            must treat each slot by itself.
        leave: takes the rows of finished images.
        module: by which a width that does not fit in memory is remembered; then it is halved.
    """
    width = fitting(module, width)
    rows: State = {}
    arrived = left = 0
    while left < count:
        if arrived < count and arrived - left < width:
            try:
                fresh = arrive(slice(arrived, min(count, arrived + width)), width)
            except FAILURES as error:
                width = narrower(module, width, error)
                continue
            rows = {k: torch.cat([rows[k], fresh[k]]) for k in fresh} if rows else fresh
            arrived = min(count, arrived + width)
        live = min(width, arrived - left)
        width = _enough(live, width, rows["index"].device)
        slots = {key: padded(values[:width], width) for key, values in rows.items()}
        narrow = width
        finished = torch.zeros(width, dtype=torch.bool)
        while narrow == width and not finished[:live].any():
            try:
                slots, finished = step(slots)
            except FAILURES as error:
                narrow = narrower(module, width, error)  # the step will be made again
        own = finished[:live].to(rows["index"].device)
        slots = {key: values[:live] for key, values in slots.items()}
        if own.any():
            leave({key: values[own] for key, values in slots.items()})
        left += int(own.sum())
        rows = {key: torch.cat([slots[key][~own], rows[key][width:]]) for key in rows}
        width = narrow


def _enough(live: int, width: int, device: torch.device) -> int:
    """Return ``width``, or on a CPU its half, quarter and so on that still holds ``live`` slots.

    Some images search long after most are done: without this, a few of them cost as many passes of
    the whole width as all the others.
    """
    while device.type == "cpu" and width % (2 * SMALLEST) == 0 and 2 * live <= width:
        width //= 2
    return width
