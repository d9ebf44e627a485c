"""Round a model's adversarial images to a cheaper storage and ask the model about them again."""

import logging
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
from workflow_scripts._reread import reread

log = logging.getLogger(__name__)


def requantise(
    model_folder: Path,
    folder: Path,
    *,
    batch_size: int,
    code: list[str],
    device: str,
    path: Path,
) -> None:
    """Write what a model says about its own adversarial images once they are rounded.

    Records have a row for each image, condition and ``storage`` (uint8, float16); the verdict on
    the float32 images themselves is the diagonal of transfer.
    """
    model, card = load_model(model_folder, device)
    about = read_json(folder / "card.json")
    settings = {
        "weights": card["weights_sha256"],
        "goals": goals_of(about["conditions"]),
        "code": [sha256(file) for file in code],
    }
    if about["status"] != OK:
        write_records(path, failed(about["status"], settings))
        return
    costs = read_records(folder / "records.parquet").frame
    progress = Progress(len(costs) * len(STORED), "images")
    try:
        answers = reread(
            model,
            folder,
            about["shards"],
            STORED.values(),
            classes=len(card["classes"]),
            batch_size=batch_size,
            device=device,
            progress=progress,
        )
    except ModelError as error:
        log.error("%s", error)
        write_records(path, failed(str(error), settings))
        return
    frames = []
    for storage, logits in zip(STORED, answers, strict=True):
        frame = costs[["image_id", "label", "condition", "severity"]].copy()
        frame["target"], frame["storage"] = targets_of(costs), storage
        frame["prediction"] = logits.argmax(1).numpy()
        frames.append(frame)
    whole = np.concatenate([logits.numpy() for logits in answers])
    write_records(path, Records(pd.concat(frames, ignore_index=True), whole, settings=settings))


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        requantise(
            Path(snakemake.input.model).parent,
            Path(snakemake.input.adversarial).parent,
            batch_size=snakemake.params.batch_size,
            code=[*snakemake.input.builder, *snakemake.input.code],
            device=where,
            path=Path(snakemake.output.records),
        )
