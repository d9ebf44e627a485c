"""How far two measurements of the same number may be apart, and why."""

import math
from typing import NamedTuple

from robusteval.intervals import wilson
from robusteval.published._row import BOUNDED
from robusteval.published.formats.accuracy_by_set import COUNT

# Two public pipelines on the same weights and images, timm's and imagenet-testbed's, over 17
# networks of torchvision: the largest gap in points was .03 on ImageNet, .036 on Sketch, .15 on -R,
# .16 on -A and .49 on V2, so these.
PIPELINE = {
    "imagenet_validation": 0.05,
    "imagenet_sketch": 0.05,
    "imagenet_a": 0.2,
    "imagenet_r": 0.2,
    "imagenet_v2": 0.5,
    "imagenet_c": 0.05,  # nobody measured it; the images are ImageNet's
}
WHOLE = {**COUNT, "imagenet_c": 50_000, "cifar10_test": 10_000, "cifar10_c": 10_000}
"""Images of the whole published set."""


class Part(NamedTuple):
    """A part of a tolerance, in percent, and its reason."""

    size: float
    reason: str


def pipeline(test: str) -> Part:
    """Return what decoding and resizing by other libraries is known to change."""
    size = PIPELINE.get(test, 0.0)
    return Part(size, f"{size:g} between public pipelines on the same images")


def sampling(what: str, test: str, percent: float, counts: tuple[int | None, int | None]) -> Part:
    """Return what other images of the same set may change, the 95% interval at the smaller n.

    Nothing where both took the whole set. Without a number of images the whole set is meant. The
    fewer images are thought to be drawn from the more, which narrows the interval.
    """
    whole = WHOLE.get(test)
    known = [n or whole for n in counts]
    if what not in BOUNDED or not any(known):
        return Part(0.0, "")
    few, many = min(n for n in known if n), max(n for n in known if n)
    if few == many and few == (whole or many):
        return Part(0.0, "")
    low, high = wilson(round(percent / 100 * few), few)
    half = max(percent - 100 * low, 100 * high - percent)
    if few == many:  # each a part of the whole, drawn by itself
        share = math.sqrt(2 * (1 - few / (whole or few)))
        return Part(half * share, f"95% interval of two samples of {few:,} images")
    return Part(half * math.sqrt(1 - few / many), f"95% interval at {few:,} of {many:,} images")
