"""Read every source's adversarial images back from disk and ask a model about them."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from robusteval.files import read_json, sha256
from robusteval.images._size_change import at_size, described
from robusteval.models._card import load_model
from robusteval.models._errors import ModelError
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, read_records, write_records
from robusteval.shards import Shards, key_of
from workflow_scripts._goals import goals_of, targets_of
from workflow_scripts._made_with import made_with
from workflow_scripts._reread import reread

log = logging.getLogger(__name__)


def transfer(
    model_folder: Path,
    sources: dict[str, Path],
    *,
    batch_size: int,
    code: list[str],
    device: str,
    path: Path,
    resize: str = "bicubic",
) -> None:
    """Write what a model says about the images made against each of ``sources`` (id: folder).

    The answers on each source are kept beside the records, so a model that joins the study is one
    more source here and the others are not asked again. A source without images is named,
    with the reason, in ``settings["missing"]``. Images of another size than the model sees are
    brought to it as ``resize`` says (see `robusteval.images._size_change.at_size`);
    ``settings["resized"]`` says so source by source, ``settings["goals"]`` what the attack of each
    condition wanted.
    """
    model, card = load_model(model_folder, device)
    classes = len(card["classes"])
    cards = {source: read_json(folder / "card.json") for source, folder in sources.items()}
    missing = {s: c["status"] for s, c in cards.items() if c["status"] != OK}
    size = tuple(card["input_size"][:2])
    changes = {s: described(tuple(c["input_size"][:2]), size, resize) for s, c in cards.items()}
    settings: dict[str, Any] = {
        "weights": card["weights_sha256"],
        **made_with(device),
        "missing": missing,
        "resized": changes,
        "goals": {k: v for c in cards.values() for k, v in goals_of(c["conditions"]).items()},
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
            key = key_of(shared, changes[source], cards[source]["shards"])
            parts = Shards(path.parent / "parts" / path.stem, key)
            said = parts.get(source)
            if said is None:
                (logits_of,) = reread(
                    model,
                    folder,
                    cards[source]["shards"],
                    [lambda images: at_size(images, size, resize)],
                    classes=classes,
                    batch_size=batch_size,
                    device=device,
                    progress=progress,
                )
                said = {"logits": logits_of}
                parts.put(source, said)
            else:
                progress.skip(len(said["logits"]))
            costs = read_records(folder / "records.parquet").frame
            frame = costs[["image_id", "label", "condition", "severity"]].copy()
            frame["target"] = targets_of(costs)
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


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        folders = [Path(card).parent for card in snakemake.input.cards]
        for output in map(Path, snakemake.output):
            attack = output.parent.name
            transfer(
                Path(snakemake.input.model).parent,
                {folder.parent.name: folder for folder in folders if folder.name == attack},
                batch_size=snakemake.params.batch_size,
                code=[*snakemake.input.builder, *snakemake.input.code],
                device=where,
                path=output,
                resize=snakemake.params.resize,
            )
