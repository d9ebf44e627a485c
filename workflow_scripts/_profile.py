"""The ranges of a model's neurons over the images it was trained on, made once and kept."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from robusteval.files import read_json, sha256, write_json
from robusteval.images._image_set import Chosen, read_image_set, subset
from robusteval.models._card import beside_weights, check_size
from robusteval.neurons._ranges import Ranges, ranges_of, read_ranges, write_ranges
from robusteval.progress import Progress
from robusteval.shards import key_of

log = logging.getLogger(__name__)


def profile(
    model: nn.Module,
    card: Mapping[str, Any],
    source: Path,
    folder: Path,
    *,
    count: int | None,
    seed: int,
    how: Mapping[str, Any],
    batch_size: int,
    code: list[str],
) -> tuple[Ranges, dict[str, Any]]:
    """Return the ranges of a model's neurons and what is to be said of them, kept in ``folder``.

    They are over ``count`` images of the set ``source``, drawn by ``seed``, or all of it, in one
    pass; a second call reads them, whatever sets are held against them. ``how`` chooses layers and
    positions, see `robusteval.neurons._ranges.ranges_of`.

    Raises:
        ValueError: the ranges are not those that their card was written for; or as `ranges_of`.
        ModelError: logits or activations are NaN or infinite.
    """
    known = read_image_set(source)
    check_size(known.card["shape"][1:], card)
    about = {"images": source.parent.name, "n": count or len(known.index), "how": dict(how)}
    hashes = [sha256(file) for file in code]
    key = key_of(
        about,
        seed,
        card["weights_sha256"],
        beside_weights(card),
        known.card["sha256"],
        torch.__version__,
        hashes,
    )
    path = folder / "ranges.safetensors"
    if (folder / "card.json").is_file() and path.is_file():
        kept = read_json(folder / "card.json")
        if kept.get("key") == key:
            if sha256(path) != kept["sha256"]:
                raise ValueError(f"{path}: differs from card.json; delete {folder} and run again")
            log.info("ranges over %d images were there", about["n"])
            return read_ranges(path), kept
    chosen = subset(known.index["image_id"].to_numpy(), about["n"], seed)
    ranges = ranges_of(
        model,
        Chosen(known.images, chosen),
        batch_size=batch_size,
        progress=Progress(len(chosen), "images profiled"),
        **{"names" if key == "layers" else key: value for key, value in how.items()},
    )
    write_ranges(path, ranges)
    about["layers"] = dict(zip(ranges.layers, ranges.sizes, strict=True))
    about |= {"constant": int(ranges.constant.sum()), "sha256": sha256(path), "key": key}
    write_json(folder / "card.json", about)
    return ranges, about
