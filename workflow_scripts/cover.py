"""Profile a model's neurons over its training images, and say what each image set hits of them."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn

from robusteval.images._image_set import Chosen, ImageSet, drawn, read_image_set, subset
from robusteval.metrics.kmncov import kmncov
from robusteval.metrics.nbcov import nbcov
from robusteval.metrics.nc import nc
from robusteval.metrics.snacov import snacov
from robusteval.metrics.tkncov import tkncov
from robusteval.metrics.tknpat import tknpat
from robusteval.models._card import load_model
from robusteval.models._errors import ModelError
from robusteval.neurons._activations import Images
from robusteval.neurons._coverage import Hits, hits_of, together
from robusteval.neurons._ranges import Ranges
from robusteval.records import OK, Records, write_records
from robusteval.shards import Shards, key_of
from workflow_scripts._lists import read_list
from workflow_scripts._made_with import made_with
from workflow_scripts._own_images import own_images
from workflow_scripts._profile import profile

log = logging.getLogger(__name__)

SECTIONS = 1000  # as in the paper of the metric
METRICS = ("kmncov", "nbcov", "snacov", "tkncov", "tknpat", "nc")
COLUMNS = ["test", "condition", "severity", "n", *METRICS, "status"]


def cover(
    model_folder: Path,
    profiled: Path,
    clean: Path,
    sets: Mapping[str, Mapping[str, Path]],
    adversarial: list[Path],
    *,
    profile_count: int | None,
    profile_seed: int,
    choice: Mapping[str, Any],
    count: int,
    seed: int,
    how: Mapping[str, Any],
    batch_size: int,
    code: list[str],
    device: str,
    neurons: Path,
    path: Path,
) -> None:
    """Write the six coverages of each image set, a row a condition and severity.

    The ranges of the neurons that ``choice`` names are over images of ``profiled`` and are kept in
    the folder ``neurons``. At most ``count`` images of each set are taken: of the clean set
    ``clean``, of the ``sets`` by test and name, and of those that each attack made against the
    model itself, in the folders ``adversarial``. What was found of a set is kept beside the result,
    so that a set that joins the study is one more set here and the others are not looked at again.
    """
    how = {"sections": SECTIONS, **how}
    model, card = load_model(model_folder, device)
    settings: dict[str, Any] = {"how": how, "count": count, "seed": seed, **made_with(device)}
    kept = path.parent / "parts" / path.stem
    try:
        ranges, profiled_on = profile(
            model,
            card,
            profiled,
            neurons,
            count=profile_count,
            seed=profile_seed,
            how=choice,
            batch_size=batch_size,
            code=code,
        )
    except ModelError as error:
        log.error("%s", error)
        nothing = pd.DataFrame(columns=COLUMNS)
        write_records(path, Records(nothing, np.empty((0, 0), np.float32), str(error), settings))
        return
    settings["profile"] = profiled_on
    shared = [profiled_on["key"], how, count, seed]
    taken = read_image_set(clean)
    ids = taken.index["image_id"].to_numpy()
    named = {int(i) for i in ids[drawn(taken, min(count, len(ids)), seed)]}
    rows, names = [], []
    for (test, condition, severity), content, parts in [
        *_natural(clean, sets, count, seed),
        *own_images(adversarial, named),
    ]:
        row = {"test": test, "condition": condition, "severity": severity}
        name = key_of(test, condition, severity)[:16]
        shards = Shards(kept, key_of(shared, content))
        made = shards.get(name)
        try:
            if made is None:
                hits = together([_hits(model, p, ranges, how, batch_size) for p in parts()])
                found = torch.tensor([hits.n, *map(float, _coverages(hits))], dtype=torch.float64)
                made = {"coverage": found}
                shards.put(name, made)
        except ModelError as error:
            log.error("%s, %s: %s", test, condition, error)
            rows.append({**row, "n": 0, "status": str(error)})
            continue
        names.append(name)
        n, *values = made["coverage"].tolist()
        rows.append({**row, "n": int(n), **dict(zip(METRICS, values, strict=True)), "status": OK})
    Shards(kept, "").keep_only(names)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    write_records(path, Records(frame, np.empty((len(frame), 0), np.float32), OK, settings))


def _hits(
    model: nn.Module, images: Images, ranges: Ranges, how: Mapping[str, Any], batch_size: int
) -> Hits:
    return hits_of(model, images, ranges, batch_size=batch_size, **how)


def _coverages(hits: Hits) -> Iterator[float]:
    """Yield the six numbers, in the order of ``METRICS``."""
    yield kmncov(hits.sections, hits.constant)
    yield nbcov(hits.above, hits.below)
    yield snacov(hits.above)
    yield tkncov(hits.top)
    yield tknpat(hits.patterns)
    yield nc(hits.active)


def _natural(
    clean: Path, sets: Mapping[str, Mapping[str, Path]], count: int, seed: int
) -> Iterator[Any]:
    """Yield (test, condition, severity), the hashes of the files, and how to get the images.

    A set that stands for itself has its own name for its condition, as in the cells.
    """
    for test, folders in {"clean": {"clean": clean}, **sets}.items():
        for name, folder in folders.items():
            images = read_image_set(folder)
            levels = images.index.groupby(["condition", "severity"], sort=False).indices
            for (condition, severity), places in levels.items():
                chosen = _some(images, np.sort(places), count, seed)
                key = (test, condition if "seed" in images.card else name, int(severity))
                yield key, images.card["sha256"], lambda c=chosen: [c]


def _some(images: ImageSet, places: np.ndarray, count: int, seed: int) -> Chosen:
    """Return at most ``count`` of the images at ``places``."""
    ids = images.index["image_id"].to_numpy()[places]
    return Chosen(images.images, places[subset(ids, min(count, len(ids)), seed)])


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        cards = iter(map(Path, snakemake.input.sets))
        path = Path(snakemake.output.records)
        cover(
            Path(snakemake.input.model).parent,
            Path(snakemake.input.profiled).parent,
            Path(snakemake.input.clean).parent,
            {
                test: {n: next(cards).parent for n in names}
                for test, names in snakemake.params.tests
            },
            [Path(card).parent for card in read_list(snakemake.input.adversarial)],
            profile_count=snakemake.params.profile_count,
            profile_seed=snakemake.params.profile_seed,
            choice=snakemake.params.choice,
            count=snakemake.params.n,
            seed=snakemake.params.seed,
            how=snakemake.params.how,
            batch_size=snakemake.params.batch_size,
            code=[*snakemake.input.builder, *snakemake.input.code],
            device=where,
            neurons=path.parents[1] / "neurons" / path.stem,
            path=path,
        )
