"""A network that anyone's own function returns."""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from robusteval.models._programs import check_trusted


def function(
    *, classes: int, shape: tuple[int, int, int], function: str, **arguments: Any
) -> nn.Module:
    """Return what ``function``, "package.module:name" or "path/to/file.py:name", returns.

    It is called with ``arguments``, and with ``classes`` and ``shape`` (H, W, C) if it has
    parameters of these names. A path is relative to the current folder; what lies beside the file
    can be imported by it. The network takes normalised images and returns logits.

    Raises:
        ValueError: nobody trusts it (`models._programs.trusting`); or it cannot be found or called,
            or returns no ``torch.nn.Module``.
    """
    check_trusted("function", function)
    where, _, name = function.rpartition(":")
    if not where or not name:
        raise ValueError(f"function {function!r}: module:function or path.py:function expected")
    with _importable(source(function)):
        make = _found(function, where, name)
        given = {"classes": classes, "shape": shape}
        try:
            taken = inspect.signature(make).parameters
            arguments |= {key: value for key, value in given.items() if key in taken}
            inspect.signature(make).bind(**arguments)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{function}: arguments {sorted(arguments)}: {error}") from error
        network = make(**arguments)
    if not isinstance(network, nn.Module):
        raise ValueError(
            f"{function}: returned a {type(network).__name__}; a torch.nn.Module expected"
        )
    return network


def pretrained(
    *, classes: int, shape: tuple[int, int, int], **arguments: Any
) -> tuple[nn.Module, str]:
    """Return the network of a function that gives it its weights, too, and the function's name."""
    return function(classes=classes, shape=shape, **arguments), str(arguments["function"])


def source(function: str) -> Path | None:
    """Return the file that ``function`` names, or None if it names an installed module."""
    where = function.rpartition(":")[0]
    return Path(where).expanduser() if where.endswith(".py") else None


def _found(function: str, where: str, name: str) -> Callable[..., Any]:
    file = source(function)
    if file is not None and not file.is_file():
        raise ValueError(f"{function}: no file {file.absolute()}")
    try:
        module = importlib.import_module(where) if file is None else _loaded(file)
    except Exception as error:  # whatever anyone's code may raise
        raise ValueError(
            f"{function}: cannot be imported: {type(error).__name__}: {error}"
        ) from error
    found = getattr(module, name, None)
    if not callable(found):
        own = [n for n, f in vars(module).items() if inspect.isfunction(f) and n[0] != "_"]
        raise ValueError(f"{function}: no function {name!r} there, but {', '.join(own) or 'none'}")
    make: Callable[..., Any] = found
    return make


def _loaded(file: Path) -> ModuleType:
    """Return the module in ``file``, loaded under a name that no other file has."""
    name = f"{file.stem}_{hashlib.sha256(str(file.absolute()).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None, file
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as dataclasses and pickles look it up there
    spec.loader.exec_module(module)
    return module


@contextmanager
def _importable(file: Path | None) -> Iterator[None]:
    """Let the block import what lies beside ``file``; a module's path is the current folder's."""
    folder = str((file.parent if file else Path()).absolute())
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
