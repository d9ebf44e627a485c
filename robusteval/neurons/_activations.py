"""The values of neurons for images, streamed: what is in memory is one pass."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robusteval.batches import WIDTH, as_tensor, fixed_width, padded
from robusteval.images._image_set import Chosen
from robusteval.memory import FAILURES, fitting, narrower
from robusteval.models._errors import ModelError
from robusteval.neurons._values import check_positions, values_of

Values = dict[str, NDArray[np.floating[Any]]]
Images = Tensor | NDArray[np.uint8] | Chosen


def activations(
    model: nn.Module,
    images: Images,
    layers: Mapping[str, nn.Module],
    *,
    positions: str = "mean",
    batch_size: int = WIDTH,
) -> Iterator[tuple[slice, Values]]:
    """Yield which images a pass held, and the values (n, U, P) by layer, see `values_of`.

    ``images`` are float32 (N, C, H, W) in [0, 1], or uint8 (N, H, W, C), which may be mapped into
    memory. A layer that a pass uses more than once stands there again as "name:2" and so on. The
    passes begin at multiples of 16.

    Raises:
        ValueError: see `robusteval.neurons._values`; or no pass uses one of the ``layers``.
        ModelError: logits or activations are NaN or infinite.
    """
    check_positions(positions)
    anchor = next(chain(model.parameters(), model.buffers()), None)
    device = torch.device("cpu") if anchor is None else anchor.device
    if isinstance(images, Tensor) and anchor is None:
        device = images.device
    width = fitting(model, fixed_width(batch_size, device))
    start = 0
    while start < len(images):
        part = images[start : start + width]
        batch = part.contiguous() if isinstance(part, Tensor) else as_tensor(part)
        try:
            values = _of_pass(model, padded(batch.to(device), width), len(part), layers, positions)
        except FAILURES as error:
            width = narrower(model, width, error)
            continue
        yield slice(start, start + len(part)), values
        start += len(part)


@torch.inference_mode()
def _of_pass(
    model: nn.Module, batch: Tensor, count: int, layers: Mapping[str, nn.Module], positions: str
) -> Values:
    """Return the values of the first ``count`` images of a pass."""
    found: Values = {}

    def keep(layer: str, output: Any) -> None:
        times = sum(name == layer or name.startswith(f"{layer}:") for name in found)
        name = f"{layer}:{times + 1}" if times else layer
        values = values_of(output, positions, layer)[:count]
        found[name] = _finite(values, f"activations of layer {name!r}").cpu().numpy()

    hooks = [
        module.register_forward_hook(lambda _m, _x, out, layer=layer: keep(layer, out))
        for layer, module in layers.items()
    ]
    try:
        logits = model(batch)
    finally:
        for hook in hooks:
            hook.remove()
    _finite(logits[:count], "logits")
    if unused := [layer for layer in layers if layer not in found]:
        raise ValueError(f"layer {unused[0]!r} is not used in a pass: choose other layers")
    return found


def _finite(values: Tensor, what: str) -> Tensor:
    bad = int((~values.isfinite()).flatten(1).any(1).sum())
    if bad:
        raise ModelError(f"{what} are NaN or infinite for {bad} of {len(values)} images")
    return values
