"""Run a model over the images of a test and keep every logit."""

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from robusteval.images._image_set import read_image_set, subset
from robusteval.models._card import load_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import evaluate
from robusteval.progress import Progress
from robusteval.records import Records, failed, write_records

log = logging.getLogger(__name__)


def evaluate_cell(
    model_folder: Path,
    image_folders: list[Path],
    names: list[str] | None,
    count: int,
    seed: int,
    batch_size: int,
    device: str,
    path: Path,
) -> None:
    """Write the records of a cell, or why the model cannot be measured on it.

    Of a set that stands for itself, ``count`` images are taken, and ``names`` are their conditions
    where a test names its sets; a derived set holds just those images. Where a set shows some of
    the model's classes only, which they are is in ``settings["subsets"]``, by condition.
    """
    model, card = load_model(model_folder, device)
    settings = {
        "n": count,
        "seed": seed,
        "weights": card["weights_sha256"],
        "precision": "float32",
        "torch": torch.__version__,
    }
    sets = [read_image_set(folder) for folder in image_folders]
    missing = {name: n for s in sets for name, n in s.card.get("left_out", {}).items()}
    settings |= {"left_out": missing} if missing else {}
    named = zip(names, sets, strict=True) if names else ()
    subsets = {name: s.card["subset"] for name, s in named if s.card.get("subset")}
    settings |= {"subsets": subsets} if subsets else {}
    rows = [
        subset(s.index["image_id"].to_numpy(), count, seed)
        if "seed" not in s.card
        else np.arange(len(s.images))
        for s in sets
    ]
    progress = Progress(sum(map(len, rows)), "images")
    try:
        logits = [
            evaluate(
                model,
                s.images[chosen],
                classes=len(card["classes"]),
                device=device,
                batch_size=batch_size,
                progress=progress,
            )
            for s, chosen in zip(sets, rows, strict=True)
        ]
    except ModelError as error:
        log.error("%s", error)
        write_records(path, failed(str(error), settings))
        return
    indices = [s.index.iloc[chosen] for s, chosen in zip(sets, rows, strict=True)]
    if names and "seed" not in sets[0].card:
        indices = [i.assign(condition=name) for i, name in zip(indices, names, strict=True)]
    frame = pd.concat(indices, ignore_index=True)
    said = np.concatenate(logits)
    frame["prediction"] = said.argmax(1)
    write_records(path, Records(frame, said, settings=settings))


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        evaluate_cell(
            Path(snakemake.input.model).parent,
            [Path(card).parent for card in snakemake.input.images],
            snakemake.params.names,
            snakemake.params.n,
            snakemake.params.seed,
            snakemake.params.batch_size,
            where,
            Path(snakemake.output.records),
        )
