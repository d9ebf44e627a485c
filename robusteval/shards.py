"""Shards: parts of a long job that survive it, so that a killed job loses at most one.

A shard is a safetensors file whose metadata hold a key, the hash of everything that its content
depends on, and the hash of that content. A shard with the right key and the content that it was
written with is used again; any other is made anew.
"""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from robusteval.files import REMEDY, replacing
from robusteval.files import key_of as key_of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Shards:
    """The shards ``<name>.safetensors`` of one job in ``folder``, all made for ``key``."""

    folder: Path
    key: str

    def path(self, name: str) -> Path:
        """Return the path of a shard."""
        return self.folder / f"{name}.safetensors"

    def get(self, name: str) -> dict[str, Tensor] | None:
        """Return a shard's tensors if it was made for this key and no bit of them has changed."""
        path = self.path(name)
        if not path.is_file():
            return None
        try:
            with safe_open(path, "pt") as file:
                key, _, content = (file.metadata() or {}).get("key", "").partition(" ")
            if key != self.key:
                return None
            tensors: dict[str, Tensor] = load_file(path)
            if content == _content(tensors):
                return tensors
        except SafetensorError:
            pass
        log.warning("%s: damaged, made anew", path)
        return None

    def put(self, name: str, tensors: Mapping[str, Tensor]) -> None:
        """Write a shard, whole or not at all.

        Raises:
            OSError: it cannot be written, as where the disk is full.
        """
        path = self.path(name)
        with replacing(path) as temporary:
            try:
                kept = {k: t.contiguous() for k, t in tensors.items()}
                # One entry: safetensors writes several in an order that chance decides.
                save_file(kept, temporary, {"key": f"{self.key} {_content(kept)}"})
            except SafetensorError as error:  # what the operating system says is inside
                raise OSError(f"{path}: not written ({error}); {REMEDY}") from error

    def keep_only(self, names: list[str]) -> None:
        """Delete the shards of earlier settings.

        A hidden file may be one that a process is writing which outlived the Snakemake it was of.
        """
        for path in self.folder.glob("*.safetensors"):
            if path.stem not in names and path.name[0] != ".":
                path.unlink()


def _content(tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 of tensors: their names, types, shapes and bytes."""
    digest = hashlib.sha256()
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        digest.update(tensor.cpu().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
