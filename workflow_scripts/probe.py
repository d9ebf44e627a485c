"""Look inside a model with every probe of the study, shard by shard."""

import io
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from robusteval import plugins
from robusteval.batches import as_tensor
from robusteval.files import sha256
from robusteval.images._image_set import drawn, read_image_set
from robusteval.models._card import beside_weights, check_size, load_model
from robusteval.models._errors import ModelError
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, write_records
from robusteval.seeds import generator
from robusteval.shards import Shards, key_of
from workflow_scripts._made_with import made_with

log = logging.getLogger(__name__)

SHARD = 64  # images; a killed job loses at most the work on these
SLOW = {"clever": 4, "ebd": 4}  # at the settings of a paper one of their images can take minutes


def probe(
    model_folder: Path,
    source: Path,
    name: str,
    test: str,
    conditions: Mapping[str, Mapping[str, Any]],
    *,
    count: int,
    seed: int,
    batch_size: int,
    shard: int | None = None,
    code: list[str],
    device: str,
    path: Path,
) -> None:
    """Write what the probe ``name`` reads of a model, by condition, or why it cannot be probed.

    All ``count`` images are probed, those that the model gets wrong too. Readings that belong to
    the model rather than to an image have the image id and the label -1. The readings of each
    ``shard`` images are kept beside the records, so a killed job loses at most those of one.
    """
    shard = shard or SLOW.get(name, SHARD)
    model, card = load_model(model_folder, device)
    clean = read_image_set(source)
    check_size(clean.card["shape"][1:], card)
    chosen = drawn(clean, count, seed)
    count = len(chosen)
    ids, labels = (clean.index[c].to_numpy()[chosen] for c in ("image_id", "label"))
    settings = {
        "probe": name,
        # Pairs in the study's order, which is that of the shards: JSON would sort a mapping.
        "conditions": [[label, dict(values)] for label, values in conditions.items()],
        "seed": seed,
        "n": count,
        "weights": card["weights_sha256"],
        "torch": torch.__version__,
    } | beside_weights(card)
    shards = Shards(
        path.parent / "parts" / path.stem,
        key_of(settings, test, shard, clean.card["sha256"], [sha256(file) for file in code]),
    )
    settings |= made_with(device)  # no part of the key: a job may go on elsewhere
    progress = Progress(len(conditions) * count, "images")
    frames, names = [], []
    try:
        for number, (condition, values) in enumerate(conditions.items()):
            for part in np.array_split(np.arange(count), -(-count // shard)):
                names.append(f"condition_{number:03d}_from_{part[0]:06d}")
                made = shards.get(names[-1])
                if made is None:
                    readings = plugins.load("probes", name)(
                        model,
                        as_tensor(clean.images[chosen[part]]),
                        torch.from_numpy(labels[part]),
                        generators=[generator(seed, test, int(i)) for i in ids[part]],
                        batch_size=batch_size,
                        progress=progress,
                        **values,
                    )
                    made = {"parquet": _packed(readings)}
                    shards.put(names[-1], made)
                else:
                    progress.skip(len(part))
                frames.append(_named(_unpacked(made), ids[part], labels[part], condition))
        shards.keep_only(names)
    except ModelError as error:
        log.error("%s", error)
        write_records(path, failed(str(error), settings))
        return
    frame = pd.concat(frames, ignore_index=True)
    write_records(path, Records(frame, np.empty((len(frame), 0), np.float32), OK, settings))


def _packed(readings: pd.DataFrame) -> torch.Tensor:
    """Return a data frame as the bytes of a parquet file."""
    return torch.frombuffer(bytearray(readings.to_parquet(index=False)), dtype=torch.uint8)


def _unpacked(made: Mapping[str, torch.Tensor]) -> pd.DataFrame:
    """Return the data frame in a shard."""
    return pd.read_parquet(io.BytesIO(made["parquet"].numpy().tobytes()))


def _named(
    readings: pd.DataFrame, ids: NDArray[np.int64], labels: NDArray[np.int64], condition: str
) -> pd.DataFrame:
    """Return readings with the ids and labels (N,) of their images in place of ``row``."""
    row = readings["row"].to_numpy()
    about = {
        "image_id": np.where(row < 0, -1, ids[row]),
        "label": np.where(row < 0, -1, labels[row]),
        "condition": condition,
        "severity": np.int64(0),
    }
    return pd.concat(
        [pd.DataFrame(about, index=readings.index), readings.drop(columns="row")], axis=1
    )


if __name__ == "__main__":
    from workflow_scripts._job import device, job
    from workflow_scripts._probe_code import probe_code

    with job(snakemake), device(snakemake.threads) as where:
        shared = [*snakemake.input.builder, *snakemake.input.code]
        for output in map(Path, snakemake.output):
            entry = snakemake.params.probes[output.stem]
            probe(
                Path(snakemake.input.model).parent,
                Path(snakemake.input.images).parent,
                entry["probe"],
                output.stem,
                entry["conditions"],
                count=snakemake.params.counts[output.stem],
                seed=snakemake.params.seed,
                batch_size=snakemake.params.batch_size,
                code=[*probe_code(entry), *shared],
                device=where,
                path=output,
            )
