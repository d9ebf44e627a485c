"""Round a model's adversarial images to a cheaper storage and ask the model about them again."""

import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from robusteval.attacks._stored import STORED
from robusteval.files import read_json, sha256
from robusteval.models._card import load_model
from robusteval.models._errors import ModelError
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, read_records, write_records
from workflow_scripts._goals import goals_of, targets_of
from workflow_scripts._lists import read_list
from workflow_scripts._made_with import made_with
from workflow_scripts._reread import reread

log = logging.getLogger(__name__)


def requantise(
    model_folder: Path,
    folders: Mapping[str, Path],
    *,
    batch_size: int,
    code: list[str],
    device: str,
    path: Path,
) -> None:
    """Write what a model says about its own adversarial images once they are rounded.

    ``folders`` are those of the images, by attack; one that failed is left out. Records have a row
    for each ``attack``, image, condition and ``storage`` (uint8, float16); the verdict on the
    float32 images themselves is the diagonal of transfer.
    """
    model, card = load_model(model_folder, device)
    cards = {attack: read_json(folder / "card.json") for attack, folder in folders.items()}
    cards = {attack: about for attack, about in cards.items() if about["status"] == OK}
    costs = {attack: read_records(folders[attack] / "records.parquet").frame for attack in cards}
    settings = {
        "weights": card["weights_sha256"],
        **made_with(device),
        "goals": {attack: goals_of(about["conditions"]) for attack, about in cards.items()},
        "code": [sha256(file) for file in code],
    }
    progress = Progress(sum(map(len, costs.values())) * len(STORED), "images")
    frames, logits = [failed("", {}).frame], [np.empty((0, len(card["classes"])), np.float32)]
    try:
        for attack, about in cards.items():
            answers = reread(
                model,
                folders[attack],
                about["shards"],
                STORED.values(),
                classes=len(card["classes"]),
                batch_size=batch_size,
                device=device,
                progress=progress,
            )
            for storage, answer in zip(STORED, answers, strict=True):
                frame = costs[attack][["image_id", "label", "condition", "severity"]].copy()
                frame["target"] = targets_of(costs[attack])
                frame["attack"], frame["storage"] = attack, storage
                frame["prediction"] = answer.argmax(1).numpy()
                frames.append(frame)
                logits.append(answer.numpy())
    except ModelError as error:
        log.error("%s", error)
        write_records(path, failed(str(error), settings))
        return
    frame = pd.concat(frames if len(frames) == 1 else frames[1:], ignore_index=True)
    write_records(path, Records(frame, np.concatenate(logits), settings=settings))


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        requantise(
            Path(snakemake.input.model).parent,
            {Path(c).parent.name: Path(c).parent for c in read_list(snakemake.input.adversarial)},
            batch_size=snakemake.params.batch_size,
            code=[*snakemake.input.builder, *snakemake.input.code],
            device=where,
            path=Path(snakemake.output.records),
        )
