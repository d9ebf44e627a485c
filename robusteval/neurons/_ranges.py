"""Ranges of neurons: the smallest and largest values over the training images, in one pass."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from robusteval.batches import WIDTH
from robusteval.files import replacing
from robusteval.neurons._activations import Images, activations
from robusteval.neurons._layers import TYPES, layers_of

BLOCK = 16  # images summed at a time, however wide a pass is, so that the rounding is one
ARRAYS = ("low", "high", "std")


@dataclass(frozen=True)
class Ranges:
    """What the values of the U neurons of a model are for its training images.

    Attributes:
        layers: names of the layers, in the order of their neurons.
        sizes: neurons of each.
        positions: "mean" or "any", see `robusteval.neurons`.
        n: training images.
        low, high, std: (U,), float64: least and largest value, population standard deviation.
    """

    layers: tuple[str, ...]
    sizes: tuple[int, ...]
    positions: str
    n: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    std: NDArray[np.float64]

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Which neurons (U,) had one value for all training images: no section can be told."""
        same: NDArray[np.bool_] = self.low == self.high
        return same


def ranges_of(
    model: nn.Module,
    images: Images,
    *,
    names: Sequence[str] | None = None,
    types: Sequence[str] = TYPES,
    positions: str = "mean",
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
) -> Ranges:
    """Return the ranges of the neurons of a model in evaluation mode over ``images``, streamed.

    Args:
        images: float32 (N, C, H, W) in [0, 1], or uint8 (N, H, W, C), such as a memory map.
        names, types: of layers, see `robusteval.neurons._layers.layers_of`.
        positions: "mean" or "any".

    Raises:
        ValueError: there is no image, or a layer or another argument is not usable.
        ModelError: logits or activations are NaN or infinite.
    """
    if not len(images):
        raise ValueError("no training image: expected at least one, ranges are over images")
    layers = layers_of(model, names=names, types=types)
    sizes: dict[str, int] = {}
    low = high = origin = total = square = np.empty(0)
    seen = 0
    for part, values in activations(
        model, images, layers, positions=positions, batch_size=batch_size
    ):
        if not sizes:
            sizes = {layer: found.shape[1] for layer, found in values.items()}
            # Sums of differences from one image's values: sums of squares would cancel.
            origin = np.concatenate(
                [found[0].mean(1, dtype=np.float64) for found in values.values()]
            )
            low, high = origin + np.inf, origin - np.inf
            total, square = np.zeros_like(origin), np.zeros_like(origin)
        seen += part.stop - part.start
        low = np.minimum(low, np.concatenate([v.min((0, 2)) for v in values.values()]))
        high = np.maximum(high, np.concatenate([v.max((0, 2)) for v in values.values()]))
        for first in range(0, part.stop - part.start, BLOCK):
            block = [v[first : first + BLOCK] for v in values.values()]
            shifts = np.split(origin, np.cumsum([v.shape[1] for v in block])[:-1])
            moved = [v - shift[:, None] for v, shift in zip(block, shifts, strict=True)]
            total = total + np.concatenate([m.mean(2).sum(0) for m in moved])
            square = square + np.concatenate([np.square(m).mean(2).sum(0) for m in moved])
        if progress:
            progress(part.stop - part.start)
    std = np.sqrt(np.maximum(square / seen - np.square(total / seen), 0))
    std[low == high] = 0.0
    return Ranges(tuple(sizes), tuple(sizes.values()), positions, seen, low, high, std)


def write_ranges(path: str | Path, ranges: Ranges) -> None:
    """Write ``ranges`` to a safetensors file, whole or not at all."""
    from safetensors.torch import save_file

    about = {
        "layers": list(ranges.layers),
        "sizes": list(ranges.sizes),
        "positions": ranges.positions,
        "n": ranges.n,
    }
    with replacing(path) as temporary:
        save_file(
            {name: torch.from_numpy(getattr(ranges, name)) for name in ARRAYS},
            temporary,
            {"ranges": json.dumps(about, sort_keys=True)},
        )


def read_ranges(path: str | Path) -> Ranges:
    """Return the ranges in a file.

    Raises:
        ValueError: it is damaged or holds no ranges.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "np") as file:
            about = json.loads((file.metadata() or {})["ranges"])
            arrays = {name: file.get_tensor(name) for name in ARRAYS}
    except (SafetensorError, KeyError) as error:
        raise ValueError(f"{path}: damaged, or no ranges; delete it and run again") from error
    return Ranges(
        tuple(about["layers"]), tuple(about["sizes"]), about["positions"], about["n"], **arrays
    )
