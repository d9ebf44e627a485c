"""Checkpoints: the named tensors in a file of safetensors or of ``torch.save``."""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from robusteval.models._origin import is_safetensors, wrong_kind

SAVED = (b"PK", b"\x80")  # how files of torch.save begin: a zip archive or, once, a pickle
CUT = "a damaged or incomplete file: fetch it again"
PLAIN = "save the tensors alone, torch.save(model.state_dict(), PATH), or as safetensors"


def read_checkpoint(
    path: Path, *, key: str | None = None, ordered: bool = False
) -> dict[str, Tensor]:
    """Return the tensors of a checkpoint by name, on the CPU.

    They are in the order of the file; ``ordered`` makes sure that it is that of the network.

    Nothing but tensors and plain values is unpickled. The names may be an entry of the file, or an
    entry of an entry, such as ``state_dict``; ``key`` says which if there are several, with dots.

    Raises:
        ValueError: the file is damaged or no checkpoint, or holds several sets of tensors.
    """
    if kind := wrong_kind(path):
        raise ValueError(f"{path}: this is {kind}")
    with path.open("rb") as file:
        head = file.read(16)
    if ordered and is_safetensors(head):
        raise ValueError(
            f"{path}: match: order needs a file of torch.save; safetensors sorts tensors by name"
        )
    if not (is_safetensors(head) or head.startswith(SAVED)):
        raise ValueError(f"{path}: no checkpoint of PyTorch or safetensors")
    content = _safetensors(path) if is_safetensors(head) else _unpickled(path)
    if not isinstance(content, Mapping):
        raise ValueError(f"{path}: holds a {type(content).__name__}, no named tensors; {PLAIN}")
    parts = dict(_parts(content))
    if key is not None:
        if key not in parts:
            raise ValueError(f"{path}: key {key!r}: the keys are {', '.join(parts) or 'none'}")
        return parts[key]
    if len(parts) > 1:
        raise ValueError(
            f"{path}: holds several sets of tensors, {', '.join(parts)}; say which, as in "
            f"weights: {{key: {next(iter(parts))}}}"
        )
    tensors = next(iter(parts.values()), {k: v for k, v in content.items() if _is_named(k, v)})
    if not tensors:
        raise ValueError(f"{path}: holds no named tensors but {some(map(str, content))}; {PLAIN}")
    return tensors


def _parts(content: Mapping[Any, Any], above: str = "") -> Iterator[tuple[str, dict[str, Tensor]]]:
    """Yield the dotted key and the content of each entry that is nothing but named tensors."""
    for key, value in content.items():
        if isinstance(key, str) and isinstance(value, Mapping) and value:
            if all(_is_named(k, v) for k, v in value.items()):
                yield above + key, dict(value)
            else:
                yield from _parts(value, f"{above}{key}.")


def _is_named(key: Any, value: Any) -> bool:
    return isinstance(key, str) and isinstance(value, Tensor)


def _safetensors(path: Path) -> dict[str, Tensor]:
    try:
        tensors: dict[str, Tensor] = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path}: {CUT} ({error})") from error
    return tensors


def _unpickled(path: Path) -> Any:
    """Return what ``torch.save`` wrote, as long as it is harmless."""
    try:
        with torch.serialization.safe_globals(_harmless()):
            return torch.load(path, map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception as error:  # bytes that were cut off anywhere may raise anything
        message = " ".join(str(error).split())
        if "TorchScript" in message:
            reason = "a TorchScript program, not a checkpoint: use builder: torchscript"
        elif named := re.search(r"GLOBAL (\S+)", message):
            reason = f"holds an object of {named[1]}, which is not loaded as it may run code; "
            reason += PLAIN
        else:
            reason = f"{CUT} ({message[:100] or 'it ends too early'})"
        raise ValueError(f"{path}: {reason}") from error


def _harmless() -> list[Any]:
    """Return the classes that training scripts save beside tensors and that can do nothing."""
    from numpy._core.multiarray import scalar

    kinds = {type(np.dtype(kind)) for kind in ("f4", "f8", "i4", "i8", "?")}
    # The second name of a function is that of numpy 1, which older files have.
    return [argparse.Namespace, np.dtype, *kinds, scalar, (scalar, "numpy.core.multiarray.scalar")]


def some(names: Iterable[str], shown: int = 3) -> str:
    """Return the first of ``names`` and how many there are beside them, for a message."""
    names = list(names)
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return (", ".join(names[:shown]) or "none") + more
