"""Shards: parts of a long job that survive it, so that a killed job loses at most one.

A shard is a safetensors file whose metadata hold a key: the hash of everything that its content
depends on. A shard with the right key is used again; any other is made anew.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from robusteval.files import replacing


def key_of(*content: Any) -> str:
    """Return a hash of JSON-like ``content``."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Shards:
    """The shards ``<name>.safetensors`` of one job in ``folder``, all made for ``key``."""

    folder: Path
    key: str

    def path(self, name: str) -> Path:
        """Return the path of a shard."""
        return self.folder / f"{name}.safetensors"

    def get(self, name: str) -> dict[str, Tensor] | None:
        """Return a shard's tensors if it was made for this key."""
        path = self.path(name)
        if not path.is_file():
            return None
        with safe_open(path, "pt") as file:
            if (file.metadata() or {}).get("key") != self.key:
                return None
        tensors: dict[str, Tensor] = load_file(path)
        return tensors

    def put(self, name: str, tensors: Mapping[str, Tensor]) -> None:
        """Write a shard, whole or not at all."""
        with replacing(self.path(name)) as temporary:
            save_file({k: t.contiguous() for k, t in tensors.items()}, temporary, {"key": self.key})

    def get_or_make(
        self, name: str, make: Callable[[], Mapping[str, Tensor]]
    ) -> Mapping[str, Tensor]:
        """Return a shard, made and written now unless it is there."""
        if (found := self.get(name)) is not None:
            return found
        made = make()
        self.put(name, made)
        return made

    def keep_only(self, names: list[str]) -> None:
        """Delete the shards of earlier settings."""
        for path in self.folder.glob("*.safetensors"):
            if path.stem not in names:
                path.unlink()
