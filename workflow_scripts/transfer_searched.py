"""Ask a model about the images that searches against all models ended with."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robusteval.batches import WIDTH, as_tensor
from robusteval.files import read_json, sha256
from robusteval.images._image_set import read_image_set
from robusteval.images._size_change import at_size, described
from robusteval.models._card import beside_weights, load_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import answers
from robusteval.models._features import WithFeatures
from robusteval.records import OK, Records, failed, read_records, write_records
from robusteval.row_file import Rows, writing_rows
from robusteval.shards import Shards, key_of
from workflow_scripts._made_with import made_with

log = logging.getLogger(__name__)

PASS = 8 * WIDTH  # images in memory at a time


def transfer_searched(
    model_folder: Path,
    sets: list[Path],
    *,
    batch_size: int,
    code: list[str],
    device: str,
    path: Path,
    resize: str = "bicubic",
    features: Mapping[str, Path] | None = None,
) -> None:
    """Write what a model says about the image sets ``.../{source}/{search}``, a row an image.

    ``valid`` and ``search`` stand beside each. The answers on a set are kept beside the records,
    so one more set costs the others nothing. Images of another size than the model sees are
    brought to it as ``resize`` says; ``settings["resized"]`` tells of which sources. Where searches
    have a place for ``features``, those of the images searched against the model itself are written
    there, a row an image; none if it was not searched.
    """
    model, card = load_model(model_folder, device)
    size, classes = tuple(card["input_size"][:2]), len(card["classes"])
    cards = {folder: read_json(folder / "card.json") for folder in sets}
    settings: dict[str, Any] = {
        "weights": card["weights_sha256"],
        **made_with(device),
        "missing": {_name(f): c["status"] for f, c in cards.items() if c["status"] != OK},
        "resized": {
            f.parent.name: described(tuple(c["shape"][1:3]), size, resize) for f, c in cards.items()
        },
    }
    shared = [card["weights_sha256"], beside_weights(card), size, [sha256(f) for f in code]]
    shared.append(torch.__version__)
    frames, said_of = [], []
    own: dict[str, Rows] = {}
    try:
        for folder, about in cards.items():
            if about["status"] != OK:
                continue
            kept = bool(features) and folder.parent.name == path.stem
            key = key_of(shared, resize, about["sha256"], *(["features"] * kept))
            parts = Shards(path.parent / "parts" / path.stem, key)
            said = parts.get(_name(folder))
            found = read_image_set(folder)
            if said is None:
                said = _answers(
                    WithFeatures(model) if kept else model,
                    found.images,
                    size,
                    resize,
                    classes=classes,
                    batch_size=batch_size,
                    device=device,
                )
                parts.put(_name(folder), said)
            frame = found.index.assign(source=folder.parent.name, search=folder.name)
            valid = read_records(folder / "records.parquet").frame["valid"]
            frames.append(frame.assign(valid=valid.to_numpy()[-len(frame) :]))
            said_of.append(said["logits"].numpy())
            if kept:
                own[folder.name] = said["features"].numpy()
    except ModelError as error:
        log.error("%s", error)
        frames, own = [], {}
        settings["error"] = str(error)
    for search, place in (features or {}).items():
        with writing_rows(place, len(own.get(search, ()))) as append:
            if search in own:
                append(own[search])
    if not frames:
        reason = settings.get("error", "no source has images")
        write_records(path, failed(reason, settings))
        return
    everything = np.concatenate(said_of)
    frame = pd.concat(frames, ignore_index=True).assign(prediction=everything.argmax(1))
    write_records(path, Records(frame, everything, settings=settings))


def _name(folder: Path) -> str:
    return f"{folder.parent.name}.{folder.name}"


def _answers(
    model: nn.Module,
    images: NDArray[np.uint8],
    size: tuple[int, int],
    resize: str,
    *,
    classes: int,
    batch_size: int,
    device: str,
) -> dict[str, Tensor]:
    """Return the logits (N, K) on ``images`` (N, H, W, C) brought to ``size``.

    Of a `WithFeatures`, its features (N, D) are there, too.
    """
    said: list[Tensor] = []
    seen: list[Rows] = []
    keep = seen.append if isinstance(model, WithFeatures) else None
    for start in range(0, len(images), PASS):
        batch = at_size(as_tensor(images[start : start + PASS]), size, resize).to(device)
        said.append(answers(model, batch, classes, batch_size, keep).cpu())
    features = {"features": torch.from_numpy(np.concatenate(seen))} if keep else {}
    return {"logits": torch.cat(said), **features}


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        transfer_searched(
            Path(snakemake.input.model).parent,
            [Path(card).parent for card in snakemake.input.cards],
            batch_size=snakemake.params.batch_size,
            code=[*snakemake.input.builder, *snakemake.input.code],
            device=where,
            path=Path(snakemake.output.records),
            resize=snakemake.params.resize,
            features={Path(file).stem: Path(file) for file in snakemake.output.features},
        )
