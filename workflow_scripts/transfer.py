"""Read every source's adversarial images back from disk and ask a model about them."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from robusteval.files import read_json, sha256
from robusteval.images._size_change import at_size, described
from robusteval.models._card import beside_weights, load_model
from robusteval.models._errors import ModelError
from robusteval.models._features import WithFeatures
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, read_records, write_records
from robusteval.row_file import Rows, writing_rows
from robusteval.shards import Shards, key_of
from workflow_scripts._goals import goals_of, targets_of
from workflow_scripts._lists import expanded, write_list
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
    features: Path | None = None,
) -> None:
    """Write what a model says about the images made against each of ``sources`` (id: folder).

    The answers on each source are kept beside the records, so a model that joins the study is one
    more source here and the others are not asked again. A source without images is named,
    with the reason, in ``settings["missing"]``. Images of another size than the model sees are
    brought to it as ``resize`` says (see `robusteval.images._size_change.at_size`);
    ``settings["resized"]`` says so source by source, ``settings["goals"]`` what the attack of each
    condition wanted. Where there is a place for ``features``, those of the images made against the
    model itself are written there, a row an image.
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
    shared = [card["weights_sha256"], beside_weights(card), size, [sha256(f) for f in code]]
    shared.append(torch.__version__)
    progress = Progress(
        sum(c["n"] * len(c["conditions"]) for s, c in cards.items() if s not in missing), "images"
    )
    frames, logits = [], []
    own: list[Rows] = []  # features, of as many images as an attack has: they fit in memory
    asked = WithFeatures(model) if features else model
    try:
        for source, folder in sources.items():
            if source in missing:
                continue
            kept = features is not None and source == path.stem
            about = [shared, changes[source], cards[source]["shards"], *(["features"] * kept)]
            key = key_of(*about)
            parts = Shards(path.parent / "parts" / path.stem, key)
            said = parts.get(source)
            if said is None:
                seen: list[Rows] = []
                (logits_of,) = reread(
                    asked if kept else model,
                    folder,
                    cards[source]["shards"],
                    [lambda images: at_size(images, size, resize)],
                    classes=classes,
                    batch_size=batch_size,
                    device=device,
                    progress=progress,
                    keep=seen.append if kept else None,
                )
                said = {"logits": logits_of}
                if kept:
                    said["features"] = torch.from_numpy(np.concatenate(seen))
                parts.put(source, said)
            else:
                progress.skip(len(said["logits"]))
            costs = read_records(folder / "records.parquet").frame
            frame = costs[["image_id", "label", "condition", "severity"]].copy()
            frame["target"] = targets_of(costs)
            frame["source"] = source
            frames.append(frame)
            if kept:
                own.append(said["features"].numpy())
            logits.append(said["logits"].numpy())
    except ModelError as error:
        log.error("%s", error)
        _write_features(features, [])
        write_records(path, failed(str(error), settings))
        return
    _write_features(features, own)
    if not frames:
        write_records(path, failed("no source has images", settings))
        return
    frame, answers = pd.concat(frames, ignore_index=True), np.concatenate(logits)
    frame["prediction"] = answers.argmax(1)
    write_records(path, Records(frame, answers, settings=settings))


def _write_features(path: Path | None, parts: list[Rows]) -> None:
    if path is not None:
        with writing_rows(path, sum(map(len, parts))) as append:
            for part in parts:
                append(part)


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        folders = [Path(card).parent for card in expanded(snakemake.input.adversarial)]
        features = {Path(path).stem: Path(path) for path in snakemake.output.features}
        answers = Path(snakemake.output.records)
        name = f"{answers.stem}.parquet"
        records = [answers.parent / attack / name for attack in snakemake.params.attacks]
        for path in records:
            attack = path.parent.name
            transfer(
                Path(snakemake.input.model).parent,
                {folder.parent.name: folder for folder in folders if folder.name == attack},
                batch_size=snakemake.params.batch_size,
                code=[*snakemake.input.builder, *snakemake.input.code],
                device=where,
                path=path,
                resize=snakemake.params.resize,
                features=features.get(attack),
            )
        write_list(answers, records)
