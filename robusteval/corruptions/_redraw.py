"""Drawing every value anew, from a distribution that depends on its grey level alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 15  # values worked on at once: within a core's cache


@dataclass(frozen=True)
class Outcomes:
    """What each of the 256 levels can become, as Walker's alias tables.

    A level has 256 equally likely cells, at ``level << 8 | cell``. A cell results in its own number
    with a certain probability, and else in another level. ``table`` has the probability in 256ths,
    rounded down, in the upper byte and the other level in the lower one; ``rest`` has what
    rounding left, in 256ths.
    """

    table: NDArray[np.uint16]
    rest: NDArray[np.float64]


def outcomes(below: NDArray[np.float64]) -> Outcomes:
    """Return the outcomes for ``below`` (256, 256): from a level (row), this result or a lower one.

    Source: Walker 1977; the poorest cell is filled from the richest (Vose 1991 does it in any
    order), in all rows at once.
    """
    below = np.concatenate([below[:, :-1], np.ones((256, 1))], axis=1)  # none is above white
    share = 256.0 * np.diff(below, axis=1, prepend=0.0)
    own = np.ones((256, 256))
    other = np.tile(np.arange(256), (256, 1))
    level = np.arange(256)
    open_share = share.copy()  # infinite where a cell is finished
    for _ in range(255):
        poor = open_share.argmin(axis=1)
        rich = share.argmax(axis=1)
        given = share[level, poor]
        own[level, poor] = np.clip(given, 0.0, 1.0)  # by rounding only outside
        other[level, poor] = rich
        share[level, rich] -= 1.0 - given
        open_share[level, rich] = share[level, rich]
        share[level, poor] = 0.0
        open_share[level, poor] = np.inf
    whole = np.minimum(np.floor(own * 256.0), 255.0)
    table = (256.0 * whole + other).astype(np.uint16)
    return Outcomes(table.ravel(), (own * 256.0 - whole).ravel())


def redrawn(
    image: NDArray[np.uint8], outcomes: Outcomes, generator: np.random.Generator
) -> NDArray[np.uint8]:
    """Return ``image``, of any shape, with each value drawn by its level, independently.

    A byte chooses the cell and another one is held against its probability; where they are equal,
    one time in 256, a number of full resolution decides.
    """
    words = generator.integers(0, 1 << 64, -(-image.size // 4), dtype=np.uint64)
    word = words.astype("<u8", copy=False).view("<u2")
    result = np.empty_like(image, order="C")
    values, drawn = image.ravel(), result.reshape(-1)
    for start in range(0, image.size, PIECE):
        piece = slice(start, min(start + PIECE, image.size))
        chance, cell = word[piece] >> 8, word[piece] & 255
        at = values[piece].astype(np.uint16)
        at <<= 8
        at |= cell
        found = outcomes.table.take(at.astype(np.intp), mode="clip")  # all inside: just the fastest
        own = found >> 8
        kept = chance < own
        tied = np.flatnonzero(chance == own)
        kept[tied] = generator.random(len(tied)) < outcomes.rest[at[tied]]
        # All bits set or none: masks are ten times faster than choosing at random places.
        found ^= (found ^ cell) & -kept.astype(np.uint16)
        drawn[piece] = found  # the lower byte
    return result
