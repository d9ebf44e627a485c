"""Ask a model about the images that searches against all models ended with."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robusteval.batches import WIDTH, as_tensor, predict
from robusteval.files import read_json, sha256
from robusteval.images._image_set import read_image_set
from robusteval.images._size_change import at_size, described
from robusteval.models._card import beside_weights, load_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import checked
from robusteval.records import OK, Records, failed, read_records, write_records
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
) -> None:
    """Write what a model says about the image sets ``.../{source}/{search}``, a row an image.

    ``valid`` and ``search`` stand beside each. The answers on a set are kept beside the records,
    so one more set costs the others nothing. Images of another size than the model sees are
    brought to it as ``resize`` says; ``settings["resized"]`` tells of which sources.
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
    frames, answers = [], []
    try:
        for folder, about in cards.items():
            if about["status"] != OK:
                continue
            key = key_of(shared, resize, about["sha256"])
            parts = Shards(path.parent / "parts" / path.stem, key)
            said = parts.get(_name(folder))
            found = read_image_set(folder)
            if said is None:
                logits = _answers(
                    model,
                    found.images,
                    size,
                    resize,
                    classes=classes,
                    batch_size=batch_size,
                    device=device,
                )
                said = {"logits": logits}
                parts.put(_name(folder), said)
            frame = found.index.assign(source=folder.parent.name, search=folder.name)
            own = read_records(folder / "records.parquet").frame["valid"]
            frames.append(frame.assign(valid=own.to_numpy()[-len(frame) :]))
            answers.append(said["logits"].numpy())
    except ModelError as error:
        log.error("%s", error)
        frames = []
        settings["error"] = str(error)
    if not frames:
        reason = settings.get("error", "no source has images")
        write_records(path, failed(reason, settings))
        return
    everything = np.concatenate(answers)
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
) -> Tensor:
    """Return the logits (N, K) on ``images`` (N, H, W, C) brought to ``size``."""
    said = []
    for start in range(0, len(images), PASS):
        batch = at_size(as_tensor(images[start : start + PASS]), size, resize)
        logits = predict(model, batch.to(device), batch_size=batch_size)
        said.append(checked(logits, len(batch), classes).cpu())
    return torch.cat(said)


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
        )
