"""Random generators that depend on names, never on order.

Whoever needs randomness asks for the generator of the thing it is for, such as
``generator(study_seed, "pgd_linf", image_id)``. An image therefore gets the same numbers
whatever its batch, shard, neighbours or process.
"""

import hashlib

import numpy as np


def generator(*key: int | str) -> np.random.Generator:
    """Return the generator that belongs to ``key``; other keys give independent streams."""
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in key)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u8")
    return np.random.Generator(np.random.Philox(key=words[:2]))
