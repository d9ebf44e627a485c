"""Choosing the layers of a model whose outputs are looked at, by name or by type."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from torch import nn

from robusteval.transformations._defended import Defended

TYPES = ("Conv2d", "Linear")


def layers_of(
    model: nn.Module, *, names: Sequence[str] | None = None, types: Sequence[str] = TYPES
) -> dict[str, nn.Module]:
    """Return the chosen layers of ``model`` by name, in the model's order.

    Those of a model behind a transformation have the names that they have without it, so that the
    same ones are found in both.

    Args:
        names: names as in ``model.named_modules()``, or patterns with * and ?. By default, all
            layers of the ``types``.
        types: names of classes, such as Conv2d, ReLU or Block.

    Raises:
        ValueError: a name or type that no layer has (the message lists those there are), or none.
    """
    inner = model.network if isinstance(model, Defended) else model
    there = {name: module for name, module in inner.named_modules() if name}
    if names is not None:
        return _named(there, names)
    present = sorted({type(module).__name__ for module in there.values()})
    chosen = {name: m for name, m in there.items() if type(m).__name__ in types}
    if not chosen:
        raise ValueError(
            f"no layer of type {', '.join(types) or 'none'}: expected one or several of "
            f"{', '.join(present) or 'none, the model has no layers'}"
        )
    return chosen


def _named(there: dict[str, nn.Module], names: Sequence[str]) -> dict[str, nn.Module]:
    unknown = [n for n in names if not any(fnmatchcase(layer, n) for layer in there)]
    if unknown or not names:
        wrong = f"layer {unknown[0]!r}: there is none" if unknown else "no layer named"
        raise ValueError(f"{wrong}; expected one or several of {', '.join(there)}")
    return {
        layer: module
        for layer, module in there.items()
        if any(fnmatchcase(layer, name) for name in names)
    }
