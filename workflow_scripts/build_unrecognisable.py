"""Make images that show nothing, some of them out of the study's own images."""

from pathlib import Path

import numpy as np

from robusteval import plugins
from robusteval.images._image_set import drawn, index_of, read_image_set, write_image_set
from robusteval.seeds import generator


def build_unrecognisable(source: Path, recipe: str, count: int, seed: int, folder: Path) -> None:
    """Write ``count`` images made by ``recipe`` from those of ``source``; all have label -1."""
    clean = read_image_set(source)
    chosen = drawn(clean, count, seed)
    count = len(chosen)
    ids = clean.index["image_id"].to_numpy()[chosen]
    generators = [generator(seed, recipe, int(i)) for i in ids]
    images = plugins.load("images.unrecognisable", recipe)(clean.images[chosen], generators)
    index = index_of(ids, np.full(count, -1), recipe)
    missing = clean.card.get("left_out", {})
    card = {"recipe": recipe, "seed": seed, "count": count, "left_out": missing}
    write_image_set(folder, images, index, **card)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        build_unrecognisable(
            Path(snakemake.input.card).parent,
            snakemake.wildcards.recipe,
            snakemake.params.n,
            snakemake.params.seed,
            Path(snakemake.output.card).parent,
        )
