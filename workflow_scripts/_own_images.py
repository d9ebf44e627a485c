"""The images that attacks made against a model, condition by condition, a shard at a time."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from robusteval.attacks._coding import read_images
from robusteval.files import read_json, sha256
from robusteval.records import OK
from workflow_scripts._adversarial import attacked_ids

Key = tuple[str, str, int]


def own_images(
    folders: Iterable[Path], ids: set[int]
) -> Iterator[tuple[Key, Any, Callable[[], Iterator[Tensor]]]]:
    """Yield (attack, condition, 0), what the images depend on, and a way to get those of ``ids``.

    An attack that could not be made is left out: its own tables say why.
    """
    for folder in folders:
        card = read_json(folder / "card.json")
        if card["status"] != OK:
            continue
        wanted = np.isin(attacked_ids(folder), list(ids))
        for number, (condition, _) in enumerate(card["conditions"]):
            prefix = f"condition_{number:03d}_from_"
            shards = {s: h for s, h in card["shards"].items() if s.startswith(prefix)}

            def parts(folder: Path = folder, shards: Any = shards, wanted: Any = wanted) -> Any:
                return _parts(folder, shards, wanted)

            yield (folder.name, condition, 0), sorted(shards.items()), parts


def _parts(folder: Path, shards: dict[str, str], wanted: np.ndarray) -> Iterator[Tensor]:
    """Yield the wanted images (n, C, H, W) of each shard that has any.

    Raises:
        ValueError: a shard's bytes are not those that its card was written for.
    """
    starts = [int(name.rpartition("_")[2]) for name in shards]
    for (name, expected), start, stop in zip(
        shards.items(), starts, [*starts[1:], len(wanted)], strict=True
    ):
        mask = wanted[start:stop]
        if not mask.any():
            continue
        path = folder / f"{name}.safetensors"
        if not path.is_file() or sha256(path) != expected:
            raise ValueError(
                f"{path}: missing or not the file that card.json was written for; delete "
                f"{folder} and run again"
            )
        yield torch.from_numpy(read_images(path)[mask])
