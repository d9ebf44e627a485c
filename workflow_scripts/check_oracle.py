"""Check an oracle before it judges: is it right more often than every model that it is to judge?"""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from robusteval.batches import as_tensor
from robusteval.files import read_json
from robusteval.generators._passes import in_passes
from robusteval.images._image_set import drawn, index_of, read_image_set
from robusteval.oracles._card import kind_of, load_oracle
from robusteval.oracles._checks import check_apart, check_better
from robusteval.oracles._oracle import judged
from robusteval.records import Records, read_records, write_records
from robusteval.search._found import check_accepted
from workflow_scripts._made_with import made_with
from workflow_scripts._searching import BYTES, ORIGINAL, ROUND_TRIP, generator_for, names_of

log = logging.getLogger(__name__)

PASS = 512  # images in memory at a time


def check_oracle(
    source: Path,
    generator_folder: Path,
    oracle: dict[str, Any],
    models: dict[str, Path],
    evaluated: dict[str, Path],
    clean: dict[str, Path],
    *,
    names: dict[str, str],
    adapter: str | None,
    count: int,
    clean_count: int,
    seed: int,
    batch_size: int,
    device: str,
    path: Path,
) -> None:
    """Write what an oracle says about the originals and about round trips of ``count`` of them.

    ``models`` are folders of the members of the oracle and of those who judge it, ``evaluated``
    those of the models to be judged, ``clean`` their records, without which nobody asks whether
    the oracle is better; ``names`` the ids of generator and oracle.

    Raises:
        ValueError: one of ``models`` has the weights of a model that it is to judge, the oracle is
            not at least 2 points better than each of them on the clean images, or it accepts no
            round trip.
    """
    images = read_image_set(source)
    shape = images.card["shape"][1:]
    classes = names_of(images.card["classes"])
    judge, hashes = load_oracle(oracle, models, classes=classes, shape=shape, device=device)
    asked = {name: _weights(folder) for name, folder in models.items()}
    for model, folder in evaluated.items():
        check_apart(asked, model, _weights(folder))
    generator, card = generator_for(generator_folder, shape, adapter, device)
    frames, answers, valid = [], [], np.empty(0, np.bool_)
    for condition, number in ((ORIGINAL, max(count, clean_count)), (ROUND_TRIP, count)):
        chosen = drawn(images, number, seed)
        ids, labels = (images.index[c].to_numpy()[chosen] for c in ("image_id", "label"))
        said = []
        for part in np.array_split(chosen, -(-len(chosen) // PASS)):
            batch = as_tensor(images.images[part]).to(device)
            if condition == ROUND_TRIP:  # of 256 levels, as they are stored
                batch = (in_passes(generator, batch, batch_size=batch_size) * BYTES).round() / BYTES
            known = torch.from_numpy(images.index["label"].to_numpy()[part]).to(device)
            found, accepted = judged(judge, batch, known, batch_size=batch_size)
            said.append((found.cpu().numpy(), accepted.cpu().numpy()))
        valid = np.concatenate([accepted for _, accepted in said])
        answers.append(np.concatenate([found for found, _ in said]))
        frame = index_of(ids, labels, condition).assign(accepted=valid)
        frames.append(frame.assign(prediction=answers[-1].argmax(1)))
    check_accepted(valid, names["generator"], names["oracle"])
    own = float(frames[0]["accepted"].mean())
    theirs = {
        model: _accuracy(file, frames[0]["image_id"].to_numpy()) for model, file in clean.items()
    }
    log.info("the oracle is right on %.4f, the models on %s", own, theirs)
    if theirs:
        check_better(own, theirs)
    settings = {
        **names,
        **made_with(device),
        "judged_by": kind_of(oracle),
        "members": hashes,
        "models": theirs,
        "latent_rms": card.get("round_trip", {}).get("latent_rms"),
        "adapter": adapter,
        "seen": {m: _seen(folder) for m, folder in (models | evaluated).items()},
    }
    both = Records(pd.concat(frames, ignore_index=True), np.concatenate(answers), settings=settings)
    write_records(path, both)


def _accuracy(records: Path, ids: NDArray[np.int64]) -> float:
    """Return the accuracy on the images ``ids``; 0 of a model that could not be measured."""
    frame = read_records(records).frame
    frame = frame[frame["image_id"].isin(ids)]
    return float((frame["label"] == frame["prediction"]).mean()) if len(frame) else 0.0


def _weights(folder: Path) -> str:
    return str(read_json(folder / "card.json")["weights_sha256"])


def _seen(folder: Path) -> int | None:
    """Return the number of images that a model was trained on, if it was trained here.

    Searched ones count, as their originals do.
    """
    card = read_json(folder / "card.json")
    if "training" not in card:
        return None
    return int(card["training"]["count"]) + int(card.get("searched", {}).get("n", 0))


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        check_oracle(
            Path(snakemake.input.images).parent,
            Path(snakemake.input.generator).parent,
            snakemake.params.oracle,
            {Path(card).parent.name: Path(card).parent for card in snakemake.input.members},
            {Path(card).parent.name: Path(card).parent for card in snakemake.input.models},
            {Path(file).parent.name: Path(file) for file in snakemake.input.clean},
            names=snakemake.params.names,
            adapter=snakemake.params.adapter,
            count=snakemake.params.n,
            clean_count=snakemake.params.clean_n,
            seed=snakemake.params.seed,
            batch_size=snakemake.params.batch_size,
            device=where,
            path=Path(snakemake.output.records),
        )
