"""Search images that a model finds hard within what an oracle accepts, shard by shard."""

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from robusteval.batches import as_tensor
from robusteval.files import replacing, sha256
from robusteval.images._image_set import drawn, index_of, read_image_set, write_image_set
from robusteval.models._card import beside_weights, check_size, load_model
from robusteval.models._errors import ModelError
from robusteval.oracles._card import load_oracle
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, write_records
from robusteval.search._found import trace
from robusteval.shards import Shards, key_of
from workflow_scripts._made_with import made_with
from workflow_scripts._searched_shards import COSTS, Searching, blocks
from workflow_scripts._searched_verdicts import verdicts, with_costs
from workflow_scripts._searching import ORIGINAL, ROUND_TRIP, generator_for, names_of

log = logging.getLogger(__name__)

TRACE = ("image_id", "step", "loss", "right", "accepted", "condition")
SHARD = 128  # images; a killed job loses at most the work on these


def search(
    model_folder: Path,
    source: Path,
    generator_folder: Path,
    oracle: Mapping[str, Any],
    judges: Mapping[str, Any] | None,
    models: Mapping[str, Path],
    name: str,
    conditions: Mapping[str, Mapping[str, Any]],
    *,
    adapter: str | None,
    count: int,
    seed: int,
    batch_size: int,
    code: list[str],
    device: str,
    folder: Path,
) -> None:
    """Write what searches against a model end with: an image set, records and a trace.

    The image set has a part for the plain round trips and one for each of the ``conditions``, with
    the original where the oracle rejects the round trip. Records say what the model and the oracle
    make of the stored images and of the originals, and what ``judges``, if any, do; the trace what
    happened at each step. A model that cannot be searched leaves records of why.
    """
    model, card = load_model(model_folder, device)
    clean = read_image_set(source)
    shape = clean.card["shape"][1:]
    check_size(shape, card)
    classes = names_of(clean.card["classes"])
    generator, own = generator_for(generator_folder, shape, adapter, device)
    chosen = drawn(clean, count, seed)
    ids, labels = (clean.index[c].to_numpy()[chosen] for c in ("image_id", "label"))
    judge, members = load_oracle(oracle, models, classes=classes, shape=shape, device=device)
    others = None
    if judges is not None:
        others, _ = load_oracle(judges, models, classes=classes, shape=shape, device=device)
    settings = {
        "name": name,
        # In the study's order, which that of the shards follows: JSON would sort a mapping.
        "conditions": [[label, dict(values)] for label, values in conditions.items()],
        "seed": seed,
        "n": len(chosen),
        "adapter": adapter,
        "weights": card["weights_sha256"],
        "generator": own["weights_sha256"],
        "oracle": [members, dict(oracle)],
        "torch": torch.__version__,
    } | beside_weights(card)
    shards = Shards(
        folder / "shards", key_of(settings, clean.card["sha256"], [sha256(f) for f in code])
    )
    settings |= made_with(device)  # no part of the key: a job may go on elsewhere
    job = Searching(model, generator, judge, name, seed, batch_size, shards)
    parts = np.array_split(np.arange(len(chosen)), -(-len(chosen) // SHARD))
    progress = Progress(len(conditions) * len(chosen), "images")
    names = [
        [f"condition_{number:03d}_part_{at:06d}" for at in range(len(parts))]
        for number in range(len(conditions))
    ]
    sources = [v["sparse"]["of"] for v in conditions.values() if "sparse" in v]
    kept: dict[str, Any] = {}
    costs, traces = [], []
    try:
        for own_names, (condition, values) in zip(names, conditions.items(), strict=True):
            mask, since = None, time.perf_counter()
            if "sparse" in values:
                of = list(conditions).index(values["sparse"]["of"])
                mask, kept[condition] = job.mask(values["sparse"], names[of])
            for shard, part in zip(own_names, parts, strict=True):
                made = job.found(
                    shard,
                    as_tensor(clean.images[chosen[part]]),
                    torch.from_numpy(labels[part]),
                    ids[part],
                    values,
                    mask,
                    condition in sources,
                    progress,
                )
                traces.append(trace(made, ids[part]).assign(condition=condition))
                costs.append(pd.DataFrame({key: made[key].numpy() for key in COSTS}))
            seconds = time.perf_counter() - since
            log.info("%s: %.1f s, shards of a job before this one aside", condition, seconds)
        labelled = [index_of(ids, labels, c) for c in (ROUND_TRIP, *conditions)]
        write_image_set(
            folder,
            blocks(shards, names),
            pd.concat(labelled, ignore_index=True),
            classes=clean.card["classes"],
            status=OK,
            **settings,
        )
        oracles = {"accepted": judge} | ({"judged": others} if others is not None else {})
        frame, logits = verdicts(
            model,
            oracles,
            clean.images[chosen],
            index_of(ids, labels, ORIGINAL),
            read_image_set(folder),
            batch_size=batch_size,
            device=device,
        )
        frame = with_costs(frame, pd.concat(costs, ignore_index=True), 2 * len(chosen))
        records = Records(frame, logits, OK, {**settings, "kept": kept, "size": list(shape)})
    except ModelError as error:
        log.error("%s", error)
        records, traces = failed(str(error), {**settings, "size": list(shape)}), []
        nothing = clean.images[:1]  # an image set has an image; its card says that it is none
        index = index_of(ids[:1], labels[:1], "none")
        write_image_set(folder, nothing, index, status=str(error), **settings)
    write_records(folder / "records.parquet", records)
    with replacing(folder / "trace.parquet") as temporary:
        steps = pd.concat(traces or [pd.DataFrame(columns=TRACE)], ignore_index=True)
        steps.to_parquet(temporary, index=False)
    shards.keep_only([])


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        search(
            Path(snakemake.input.model).parent,
            Path(snakemake.input.images).parent,
            Path(snakemake.input.generator).parent,
            snakemake.params.oracle,
            snakemake.params.judges,
            {Path(card).parent.name: Path(card).parent for card in snakemake.input.members},
            snakemake.wildcards.searched,
            snakemake.params.conditions,
            adapter=snakemake.params.adapter,
            count=snakemake.params.n,
            seed=snakemake.params.seed,
            batch_size=snakemake.params.batch_size,
            code=[*snakemake.input.steps, *snakemake.input.builder, *snakemake.input.code],
            device=where,
            folder=Path(snakemake.output.card).parent,
        )
