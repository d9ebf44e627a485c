"""Random numbers of a slot at a step, for attacks that draw too many to draw them all at first.

They follow from a seed of the image and the number of the step alone, so that a step can be made
again, and an image gets its own numbers whatever its slot.
"""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robusteval.attacks._engine import Generators

VALUES = 1 << 20  # drawn at a time for an image, at most; its sums do not depend on the width

Draw = Callable[[np.random.Generator, int], NDArray[np.float32]]


def seeds(generators: Generators, device: torch.device) -> Tensor:
    """Return a seed an image, (N,) int64."""
    assert generators is not None
    return torch.tensor([int(g.integers(2**63 - 1)) for g in generators], device=device)


def signs(generator: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Return ``count`` independent numbers that are -1 or 1."""
    bits = np.unpackbits(np.frombuffer(generator.bytes(-(-count // 8)), np.uint8))[:count]
    return bits.astype(np.float32) * 2 - 1


def normals(generator: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Return ``count`` independent standard normal numbers."""
    return generator.standard_normal(count, np.float32)


def blocks(
    seeds: Tensor, steps: Tensor, draw: Draw, count: int, shape: tuple[int, ...]
) -> Iterator[Tensor]:
    """Yield ``count`` draws of ``shape`` a slot in blocks, (W, m, *shape) float32 each.

    Slots of the same seed and step, which hold copies of an image, get the same numbers.
    """
    keys = list(zip(seeds.tolist(), steps.tolist(), strict=True))
    streams = {
        key: np.random.Generator(np.random.Philox(key=np.array(key, np.uint64))) for key in keys
    }
    size = int(np.prod(shape))
    most = max(1, VALUES // size)
    for begin in range(0, count, most):
        here = min(most, count - begin)
        drawn = {key: draw(stream, here * size) for key, stream in streams.items()}
        block = np.stack([drawn[key] for key in keys]).reshape(len(keys), here, *shape)
        yield torch.from_numpy(block).to(seeds.device)
