"""Which neurons, and which parts of their ranges, an image set hits; streamed, or-ed together."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import nn

from robusteval.batches import WIDTH
from robusteval.neurons._activations import Images, activations
from robusteval.neurons._hits import active, beyond, sections_hit, top_of
from robusteval.neurons._layers import layers_of
from robusteval.neurons._ranges import Ranges


@dataclass(frozen=True)
class Hits:
    """What an image set hits of U neurons.

    Attributes:
        n: images.
        sections: (U, sections), bool: sections of the range that some value lies in.
        constant: (U,), bool: neurons whose range is one point; they hit no section.
        above, below: (U,), bool: neurons with a value beyond the range.
        top: (U,), bool: neurons that were among the largest of their layer.
        active: (U,), bool: neurons above a threshold.
        patterns: (M, 2), uint64: a hash of the largest neurons of all layers, each pattern once.
    """

    n: int
    sections: NDArray[np.bool_]
    constant: NDArray[np.bool_]
    above: NDArray[np.bool_]
    below: NDArray[np.bool_]
    top: NDArray[np.bool_]
    active: NDArray[np.bool_]
    patterns: NDArray[np.uint64]


def hits_of(
    model: nn.Module,
    images: Images,
    ranges: Ranges,
    *,
    sections: int = 1000,
    sigma: float = 0.0,
    top: int = 3,
    pattern: int = 2,
    threshold: float = 0.2,
    scaled: bool = True,
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
) -> Hits:
    """Return what ``images`` hit of the neurons that ``ranges`` are of.

    Memory: a pass, the sections, and 16 bytes for each distinct pattern.

    Args:
        images: float32 (N, C, H, W) in [0, 1], or uint8 (N, H, W, C).
        sections: of each range, k of KMNCov; 1,000 as in the paper of that metric.
        sigma: how many standard deviations the bounds are widened by for ``above`` and ``below``.
        top, pattern: neurons of a layer that count as its largest, k of TKNCov and TKNPat.
        threshold, scaled: see `robusteval.neurons._hits.active`.

    Raises:
        ValueError: there is no image, an argument is not usable, or the model is not the one that
            the ranges are of.
        ModelError: logits or activations are NaN or infinite.
    """
    _check(len(images), sections=sections, top=top, pattern=pattern)
    if not sigma >= 0:
        raise ValueError(f"sigma {sigma}: at least 0 expected")
    names = [name for name in ranges.layers if ":" not in name]  # "name:2" is a layer's second use
    layers = layers_of(model, names=names)
    size = sum(ranges.sizes)
    margin = sigma * ranges.std
    bounds = np.cumsum((0, *ranges.sizes))
    hit = np.zeros((size, sections), np.bool_)
    flags = np.zeros((4, size), np.bool_)  # above, below, top, active
    patterns = np.empty((0, 2), np.uint64)
    for part, values in activations(
        model, images, layers, positions=ranges.positions, batch_size=batch_size
    ):
        sizes = tuple(v.shape[1] for v in values.values())
        if (tuple(values), sizes) != (ranges.layers, ranges.sizes):
            raise ValueError(
                f"layers {tuple(values)} of {sizes} neurons: the ranges are of {ranges.layers} of "
                f"{ranges.sizes}; profile this model"
            )
        tops = []
        for start, stop, v in zip(bounds[:-1], bounds[1:], values.values(), strict=True):
            own = slice(start, stop)
            low, high = ranges.low[own], ranges.high[own]
            hit[own] |= sections_hit(v, low, high, sections)
            outside = beyond(v, low - margin[own], high + margin[own])
            flags[0, own] |= outside[0]
            flags[1, own] |= outside[1]
            flags[2, start + np.unique(top_of(v, top))] = True
            flags[3, own] |= active(v, threshold, scaled=scaled)
            tops.append(top_of(v, pattern))
        patterns = np.unique(np.concatenate([patterns, _hashes(np.hstack(tops))]), axis=0)
        if progress:
            progress(part.stop - part.start)
    above, below, largest, on = flags
    return Hits(len(images), hit, ranges.constant, above, below, largest, on, patterns)


def together(parts: Sequence[Hits]) -> Hits:
    """Return what several lots of images hit, each of the same neurons."""
    first, *others = parts
    if not others:
        return first

    def any_of(name: str) -> NDArray[np.bool_]:
        hit: NDArray[np.bool_] = np.logical_or.reduce([getattr(part, name) for part in parts])
        return hit

    return Hits(
        n=sum(part.n for part in parts),
        sections=any_of("sections"),
        constant=first.constant,
        above=any_of("above"),
        below=any_of("below"),
        top=any_of("top"),
        active=any_of("active"),
        patterns=np.unique(np.concatenate([part.patterns for part in parts]), axis=0),
    )


def _hashes(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return 128 bits (N, 2) for each row; equal rows have equal ones, others by chance of 2^-64.

    That chance is for some two of 2^32 patterns.
    """
    digests = b"".join(hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows)
    return np.frombuffer(digests, "<u8").reshape(-1, 2)


def _check(images: int, **counts: int) -> None:
    if not images:
        raise ValueError("no image: expected at least one, coverage is of an image set")
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} {count}: at least 1 expected")
