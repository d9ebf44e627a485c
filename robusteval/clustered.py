"""Intervals of weighted means over image sets that show the same images again.

Fifteen corruptions of one image are not fifteen images: what is independent is the image, so the
spread is that of the images' shares in the mean, however many sets they appear in.
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Influence(NamedTuple):
    """How far each of M images moves a mean from its value; the sum is 0."""

    image: NDArray[np.int64]  # (M,) ids, ascending
    shift: NDArray[np.float64]  # (M,)


def influence(
    values: Sequence[NDArray[Any]], images: Sequence[NDArray[Any]], weights: Sequence[float]
) -> Influence:
    """Return the share of each image in ``sum_s w_s mean(values_s)`` over S sets, centred.

    ``values[s]`` (N_s,) belong to the images with ids ``images[s]`` (N_s,). An id that stands in
    several sets is one image; where it means another image in each, as in sets of unknown classes,
    the products that this adds to the variance are 0 on average.

    Raises:
        ValueError: there is no set, a set is empty, or the lengths differ.
    """
    sizes = [(len(v), len(i)) for v, i in zip(values, images, strict=False)]
    if not len(values) == len(images) == len(weights) or not sizes:
        raise ValueError(
            f"{len(values)} sets of values, {len(images)} of images and {len(weights)} weights: "
            "expected as many of each, at least one"
        )
    if bad := [pair for pair in sizes if pair[0] != pair[1] or not pair[0]]:
        raise ValueError(f"a set of {bad[0][0]} values and {bad[0][1]} images: expected one each")
    shares = [
        weight * (value - np.mean(value, dtype=np.float64)) / len(value)
        for value, weight in zip(values, weights, strict=True)
    ]
    image, position = np.unique(np.concatenate(list(images)), return_inverse=True)
    return Influence(image, _summed(position, np.concatenate(shares)))


def difference(first: Influence, second: Influence) -> Influence:
    """Return the influence on the difference of two means, paired by image."""
    image, position = np.unique(np.concatenate([first.image, second.image]), return_inverse=True)
    shift = np.concatenate([first.shift, -second.shift])
    return Influence(image, _summed(position, shift))


def half_width(of: Influence, *, level: float = 0.95) -> float:
    """Return half the width of the normal-approximation interval of the mean; NaN of one image.

    Of one set, where no image stands twice, it is that of `robusteval.intervals.normal`.
    """
    n = len(of.image)
    if n < 2:
        return float("nan")
    z = NormalDist().inv_cdf((1 + level) / 2)
    return z * float(np.sqrt(np.sum(of.shift**2) * n / (n - 1)))


def _summed(position: NDArray[np.intp], shift: NDArray[np.float64]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.bincount(position, weights=shift).astype(np.float64)
    return total
