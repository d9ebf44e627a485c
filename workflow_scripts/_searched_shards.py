"""Shards of a search: what it found for some of the images under one condition."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robusteval.generators._generator import Generator
from robusteval.generators._passes import in_passes
from robusteval.oracles._oracle import Oracle
from robusteval.search._found import Found
from robusteval.search.latent_search import latent_search
from robusteval.search.sparse_mask import sparse_mask
from robusteval.seeds import generator
from robusteval.shards import Shards
from workflow_scripts._searching import as_bytes

PAIRS = 256  # of latents that a mask is fitted to, if a condition does not say
COSTS = ("valid", "steps", "tries", "odd")
TRACED = (*COSTS, "losses", "right")


@dataclass(frozen=True)
class Searching:
    """A search against one model: its networks, its seed and where its shards lie."""

    model: nn.Module
    generator: Generator
    oracle: Oracle
    name: str
    seed: int
    batch_size: int
    shards: Shards

    def found(
        self,
        shard: str,
        images: Tensor,
        labels: Tensor,
        ids: NDArray[np.int64],
        values: Mapping[str, Any],
        mask: Tensor | None,
        latents: bool,
        progress: Callable[[int], None],
    ) -> dict[str, Tensor]:
        """Return a shard, searched now if it was not before; with ``latents`` if asked for.

        Images and round trips are uint8 (N, H, W, C).
        """
        made = self.shards.get(shard)
        if made is not None:
            progress(len(images))
            return made
        own = {key: value for key, value in values.items() if key not in ("oracle", "sparse")}
        result = latent_search(
            self.model,
            self.generator,
            self.oracle if values.get("oracle", True) else None,
            images,
            labels,
            generators=[generator(self.seed, self.name, int(i)) for i in ids],
            batch_size=self.batch_size,
            progress=progress,
            mask=mask,
            **own,
        )
        made = {key: getattr(result, key) for key in TRACED}
        for key in ("images", "round_trips"):
            made[key] = torch.from_numpy(as_bytes(getattr(result, key).numpy()))
        if latents:
            made |= self._latents(images, result)
        self.shards.put(shard, made)
        return made

    def mask(
        self, sparse: Mapping[str, Any], shards: list[str]
    ) -> tuple[Tensor, dict[str, float | int]]:
        """Return the latents that may move, and how the mask was fitted to the ``shards``.

        Raises:
            ValueError: it cannot be fitted.
        """
        parts = [part for part in map(self.shards.get, shards) if part is not None]
        pairs, where = sparse.get("pairs", PAIRS), torch.cat([part["valid"] for part in parts])
        before, after = (
            torch.cat([part[key] for part in parts])[where][:pairs] for key in ("before", "after")
        )
        choice = {"C": sparse["C"]} if "C" in sparse else {}
        fitted = sparse_mask(before, after, **choice, seed=self.seed)
        about = {"kept": fitted.kept, "accuracy": fitted.accuracy, "pairs": fitted.pairs}
        return fitted.mask, about

    @torch.no_grad()
    def _latents(self, images: Tensor, result: Found) -> dict[str, Tensor]:
        """Return latents before the search, and those that the decoder was given after it."""
        device = next(self.generator.parameters()).device
        before = in_passes(self.generator.encode, images.to(device), batch_size=self.batch_size)
        after = in_passes(
            self.generator.quantised, result.latents.to(device), batch_size=self.batch_size
        )
        return {"before": before.cpu(), "after": after.cpu()}


def blocks(shards: Shards, names: list[list[str]]) -> Iterator[NDArray[np.uint8]]:
    """Yield the round trips, then the images of each condition; ``names`` by condition and part."""
    for key, parts in (("round_trips", names[0]), *(("images", parts) for parts in names)):
        for name in parts:
            made = shards.get(name)
            assert made is not None, name
            yield made[key].numpy()
