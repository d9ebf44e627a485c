"""What values of neurons hit: sections of a range, the space beyond it, the top of a layer.

Each function tells it of some images; over several lots of images, hits are or-ed together.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def sections_hit(values: Values, low: Floats, high: Floats, sections: int) -> Flags:
    """Return which of the equal ``sections`` of each range some value lies in, (U, sections).

    Sections are half-open, [a, b), the last one is closed. A value of ``values`` (N, U, P) outside
    [low, high], both (U,), hits none, and so does any value of a neuron whose range is one point.
    """
    hit = np.zeros((len(low), sections), np.bool_)
    lowest, span = low[:, None], (high - low)[:, None]
    inside = (values >= lowest) & (values <= high[:, None]) & (span > 0)
    neuron = np.broadcast_to(np.arange(len(low))[:, None], values.shape)[inside]
    share = (values[inside] - low[neuron]) / (high - low)[neuron]
    hit[neuron, np.minimum((share * sections).astype(np.int64), sections - 1)] = True
    return hit


def beyond(values: Values, low: Floats, high: Floats) -> tuple[Flags, Flags]:
    """Return which neurons (U,) have some value above ``high``, and which below ``low``."""
    above: Flags = np.any(values > high[:, None], axis=(0, 2))
    below: Flags = np.any(values < low[:, None], axis=(0, 2))
    return above, below


def active(values: Values, threshold: float, *, scaled: bool = True) -> Flags:
    """Return which neurons (U,) of one layer have a value above ``threshold`` for some image.

    With ``scaled`` the values of an image are first brought to [0, 1] over the layer; a layer
    that gives an image one value everywhere activates nothing then.
    """
    if scaled:
        least = values.min((1, 2), keepdims=True)
        span = values.max((1, 2), keepdims=True) - least
        values = (values - least) / np.where(span > 0, span, 1.0)
    on: Flags = np.any(values > threshold, axis=(0, 2))
    return on


def top_of(values: Values, k: int) -> NDArray[np.int64]:
    """Return the ``k`` neurons (N, k) of one layer with the largest values, ascending by number.

    Of positions the largest counts; of equal values the neuron with the smaller number. A layer
    with at most ``k`` neurons has all of them.
    """
    order = np.argsort(-values.max(2), axis=1, kind="stable")[:, :k]
    return np.sort(order, axis=1)
