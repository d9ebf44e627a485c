"""Passes of a model for an image, at most and as a rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """Passes of an image: at most, and as a rule."""

    forwards_most: float
    backwards_most: float
    forwards: float
    backwards: float

    def times(self, count: float) -> "Cost":
        """Return the cost of ``count`` images."""
        return Cost(*(count * value for value in vars(self).values()))

    def plus(self, other: "Cost") -> "Cost":
        """Return the cost of both."""
        return Cost(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )


NOTHING = Cost(0, 0, 0, 0)


def exact(forwards: float, backwards: float = 0) -> Cost:
    """Return a cost that does not depend on the model."""
    return Cost(forwards, backwards, forwards, backwards)


def defaults_of(package: str, item: str) -> dict[str, Any]:
    """Return the defaults of an item's settings."""
    import inspect

    from robusteval import plugins

    parameters = inspect.signature(plugins.load(package, item)).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}
