"""Run a model over corrupted images that are made as they are needed and never stored."""

from pathlib import Path
from typing import Any

import pandas as pd

from robusteval.corruptions._severities import severities
from robusteval.corruptions._stream import stream
from robusteval.images._image_set import drawn, index_of, read_image_set
from workflow_scripts.evaluate import Part, evaluate_cell


def streamed_parts(
    folder: Path,
    corruptions: list[str],
    family: str,
    storage: str,
    count: int,
    seed: int,
    workers: int,
) -> tuple[list[Part], dict[str, Any]]:
    """Return the images of corruptions, and the settings of a cell, as if they were on disk."""
    clean = read_image_set(folder)
    chosen = drawn(clean, count, seed)
    count = len(chosen)
    ids, labels = (clean.index[name].to_numpy()[chosen] for name in ("image_id", "label"))
    levels = severities(family)
    parts: list[Part] = []
    for corruption in corruptions:
        index = pd.concat([index_of(ids, labels, corruption, s) for s in levels])
        blocks = stream(
            clean.images,
            corruption,
            levels,
            seed,
            ids,
            family=family,
            storage=storage,
            rows=chosen,
            workers=workers,
        )
        parts.append((index, len(index), blocks))
    left_out = clean.card.get("left_out", {})
    return parts, {"n": count, "seed": seed, **({"left_out": left_out} if left_out else {})}


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(1) as where:
        made, about = streamed_parts(
            Path(snakemake.input.images).parent,
            snakemake.params.names,
            snakemake.params.family,
            snakemake.params.storage,
            snakemake.params.n,
            snakemake.params.seed,
            snakemake.threads,
        )
        evaluate_cell(
            Path(snakemake.input.model).parent,
            made,
            about,
            snakemake.params.batch_size,
            where,
            Path(snakemake.output.records),
            next(map(Path, snakemake.output.features), None),
        )
