"""Attack a model, shard by shard."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from robusteval import plugins
from robusteval.attacks._adversarials import ZERO_GRADIENT
from robusteval.attacks._coding import coded, decoded
from robusteval.batches import as_tensor
from robusteval.files import sha256, write_json
from robusteval.images._image_set import drawn, index_of, read_image_set
from robusteval.metrics.distortion import NORMS, distortion
from robusteval.models._card import beside_weights, check_size, load_model
from robusteval.models._errors import ModelError
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, write_records
from robusteval.seeds import generator
from robusteval.shards import Shards, key_of
from workflow_scripts._made_with import made_with

log = logging.getLogger(__name__)

SHARD = 128  # images; a killed job loses at most the work on these


def craft(
    model_folder: Path,
    source: Path,
    attack: str,
    name: str,
    conditions: Mapping[str, Mapping[str, Any]],
    *,
    count: int,
    seed: int,
    batch_size: int,
    code: list[str],
    device: str,
    folder: Path,
) -> None:
    """Write the images that ``attack`` makes against a model, as float32 shards, and their costs.

    All ``count`` images are attacked, those that the model gets wrong too; whether an attack
    succeeded is for the model to say when it reads the images back (rule transfer).
    """
    model, card = load_model(model_folder, device)
    clean = read_image_set(source)
    check_size(clean.card["shape"][1:], card)
    chosen = drawn(clean, count, seed)
    count = len(chosen)
    ids, labels = (clean.index[c].to_numpy()[chosen] for c in ("image_id", "label"))
    settings = {
        "attack": attack,
        # Pairs in the study's order, which is that of the shards: JSON would sort a mapping.
        "conditions": [[label, dict(values)] for label, values in conditions.items()],
        "seed": seed,
        "n": count,
        "input_size": card["input_size"],
        "weights": card["weights_sha256"],
        "torch": torch.__version__,
    } | beside_weights(card)
    shards = Shards(folder, key_of(settings, clean.card["sha256"], [sha256(f) for f in code]))
    settings |= made_with(device)  # no part of the key: a job may go on elsewhere
    progress = Progress(len(conditions) * count, "images")
    frames, names = [], []
    try:
        for number, (condition, values) in enumerate(conditions.items()):
            for part in np.array_split(np.arange(count), -(-count // SHARD)):
                names.append(f"condition_{number:03d}_from_{part[0]:06d}")
                pixels = clean.images[chosen[part]]
                images = as_tensor(pixels)
                made = shards.get(names[-1])
                if made is None:
                    result = plugins.load("attacks", attack)(
                        model,
                        images,
                        torch.from_numpy(labels[part]),
                        generators=[generator(seed, name, int(i)) for i in ids[part]],
                        batch_size=batch_size,
                        progress=progress,
                        **values,
                    )
                    made = dict(vars(result))
                    moved = made.pop("images").numpy()
                    form = coded(moved, pixels, values.get("eps"))
                    shards.put(names[-1], made | {k: torch.from_numpy(a) for k, a in form.items()})
                else:
                    moved = decoded({key: tensor.numpy() for key, tensor in made.items()})
                    progress.skip(len(part))
                sizes = {norm: distortion(moved, images.numpy(), norm) for norm in NORMS}
                frames.append(_costs(made, sizes, ids[part], labels[part], condition))
        status = OK
        shards.keep_only(names)
    except ModelError as error:
        log.error("%s", error)
        frames, names, status = [], [], str(error)
    frame = pd.concat(frames, ignore_index=True) if frames else failed("", {}).frame
    if masked := suspicion(frame):
        log.warning("%s", masked)
    nothing = np.empty((len(frame), 0), np.float32)
    write_records(folder / "records.parquet", Records(frame, nothing, status, settings))
    hashes = {shard: sha256(shards.path(shard)) for shard in names}
    write_json(folder / "card.json", {**settings, "status": status, "shards": hashes})


def suspicion(frame: pd.DataFrame) -> str | None:
    """Return what is to be said of images whose gradient was 0 at every pixel, if there are any."""
    flat = int((frame["odd"] == ZERO_GRADIENT).sum()) if len(frame) else 0
    if not flat:
        return None
    return (
        f"the gradient is 0 for {flat} of {len(frame)} images: masked gradients suspected; those "
        f"that hold are put to Square, which needs no gradient (tables/attacks.csv)"
    )


def _costs(
    made: Mapping[str, Tensor],
    sizes: Mapping[str, NDArray[np.float64]],
    ids: NDArray[np.int64],
    labels: NDArray[np.int64],
    condition: str,
) -> pd.DataFrame:
    """Return a row an image: how far it was moved and what that took."""
    frame = index_of(ids, labels, condition).assign(**sizes)
    for cost in ("steps", "forwards", "backwards", "success", "target", "odd"):
        frame[cost] = made[cost].numpy()
    return frame


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        craft(
            Path(snakemake.input.model).parent,
            Path(snakemake.input.images).parent,
            snakemake.params.attack,
            snakemake.wildcards.attack,
            snakemake.params.conditions,
            count=snakemake.params.n,
            seed=snakemake.params.seed,
            batch_size=snakemake.params.batch_size,
            code=[*snakemake.input.attack, *snakemake.input.builder, *snakemake.input.code],
            device=where,
            folder=Path(snakemake.output.card).parent,
        )
