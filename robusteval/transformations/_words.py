"""How gradients of a defended model are taken, in words; tables read it, without torch."""

from collections.abc import Mapping
from typing import Any


def words(defence: Mapping[str, Any]) -> str:
    """Return in words how gradients are taken of a model with this ``defence``."""
    draws = defence.get("draws", 1)
    mean = f", mean of {draws} draws" if draws > 1 else ""
    return f"{defence['gradient']} {defence['transformation']}{mean}"
