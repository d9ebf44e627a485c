"""Finding an item by its id: the id is the file's stem and the name of the function in it.

Adding an attack, a corruption or a metric is adding one file; nothing registers it.
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any


def names(package: str) -> list[str]:
    """Return the ids of all items in ``robusteval.<package>``, sorted."""
    module = importlib.import_module(f"robusteval.{package}")
    return sorted(m.name for m in pkgutil.iter_modules(module.__path__) if m.name[0] != "_")


def load(package: str, name: str) -> Callable[..., Any]:
    """Return the function ``name`` of the file ``robusteval/<package>/<name>.py``.

    Raises:
        ValueError: there is no such file; the message lists those there are.
    """
    if name not in names(package):
        raise ValueError(f"unknown {package} {name!r}; there are {', '.join(names(package))}")
    function: Callable[..., Any] = getattr(
        importlib.import_module(f"robusteval.{package}.{name}"), name
    )
    return function
