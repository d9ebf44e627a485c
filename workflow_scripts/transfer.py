"""Read every source's adversarial images back from disk and ask a model about them."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import interpolate

from robusteval.batches import predict
from robusteval.files import read_json, sha256
from robusteval.models._card import load_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import checked
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, read_records, write_records
from robusteval.shards import Shards, key_of

log = logging.getLogger(__name__)


def transfer(
    model_folder: Path,
    sources: dict[str, Path],
    *,
    batch_size: int,
    code: list[str],
    device: str,
    path: Path,
) -> None:
    """Write what a model says about the images made against each of ``sources`` (id: folder).

    The answers on each source are kept beside the records, so a model that joins the study is one
    more source here and the others are not asked again. A source without images is named,
    with the reason, in ``settings["missing"]``. Images of another size than the model sees are
    resized; ``settings["resized"]`` says so source by source.
    """
    model, card = load_model(model_folder, device)
    classes = len(card["classes"])
    cards = {source: read_json(folder / "card.json") for source, folder in sources.items()}
    missing = {s: c["status"] for s, c in cards.items() if c["status"] != OK}
    size = tuple(card["input_size"][:2])
    settings = {
        "weights": card["weights_sha256"],
        "missing": missing,
        "resized": {
            source: _change(c["input_size"], card["input_size"]) for source, c in cards.items()
        },
    }
    shared = [card["weights_sha256"], size, [sha256(f) for f in code], torch.__version__]
    progress = Progress(
        sum(c["n"] * len(c["conditions"]) for s, c in cards.items() if s not in missing), "images"
    )
    frames, logits = [], []
    try:
        for source, folder in sources.items():
            if source in missing:
                continue
            key = key_of(shared, cards[source]["shards"])
            parts = Shards(path.parent / "parts" / path.stem, key)
            said = parts.get(source)
            if said is None:
                shards = cards[source]["shards"]
                logits_of = _ask(model, folder, shards, classes, size, batch_size, device, progress)
                said = {"logits": logits_of}
                parts.put(source, said)
            else:
                progress.skip(len(said["logits"]))
            costs = read_records(folder / "records.parquet").frame
            frame = costs[["image_id", "label", "condition", "severity"]].copy()
            frame["source"] = source
            frames.append(frame)
            logits.append(said["logits"].numpy())
    except ModelError as error:
        log.error("%s", error)
        write_records(path, failed(str(error), settings))
        return
    if not frames:
        write_records(path, failed("no source has images", settings))
        return
    frame, answers = pd.concat(frames, ignore_index=True), np.concatenate(logits)
    frame["prediction"] = answers.argmax(1)
    write_records(path, Records(frame, answers, settings=settings))


def _ask(
    model: nn.Module,
    folder: Path,
    shards: dict[str, Any],
    classes: int,
    size: tuple[int, int],
    batch_size: int,
    device: str,
    progress: Progress,
) -> torch.Tensor:
    """Return a model's logits (N, K) on the images of all ``shards`` (name: SHA-256).

    Raises:
        ValueError: a shard's bytes are not those that its card was written for.
    """
    parts = []
    for name, expected in shards.items():
        shard = folder / f"{name}.safetensors"
        if not shard.is_file() or sha256(shard) != expected:
            raise ValueError(
                f"{shard}: missing or not the file that card.json was written for; delete "
                f"{folder} and run again"
            )
        images = resized(load_file(shard)["images"], size).to(device)
        parts.append(checked(predict(model, images, batch_size=batch_size), len(images), classes))
        progress(len(images))
    return torch.cat(parts).cpu()


def _change(source: list[int], target: list[int]) -> str:
    """Return how images of the ``source`` size (H, W, C) become those of the ``target`` size."""
    (height, width), (h, w) = source[:2], target[:2]
    same = (height, width) == (h, w)
    return "no" if same else f"{height} x {width} to {h} x {w}, bicubic, antialiased"


def resized(images: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    """Return ``images`` (N, C, H, W) in [0, 1] at ``size`` (H, W).

    Bicubic with antialiasing, as an image library would do it, but on floats: the changes of an
    attack are smaller than a grey level and would not survive being rounded.
    """
    if tuple(images.shape[2:]) == size:
        return images
    return interpolate(images, size, mode="bicubic", antialias=True).clamp(0, 1)


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        folders = [Path(card).parent for card in snakemake.input.sources]
        transfer(
            Path(snakemake.input.model).parent,
            dict(zip(snakemake.params.sources, folders, strict=True)),
            batch_size=snakemake.params.batch_size,
            code=[*snakemake.input.builder, *snakemake.input.code],
            device=where,
            path=Path(snakemake.output.records),
        )
