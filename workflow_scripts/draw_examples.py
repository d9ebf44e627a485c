"""Draw example images of every kind of data."""

from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.figures._style import save
from robusteval.figures.examples import examples
from robusteval.images._image_set import read_image_set, subset
from robusteval.records import OK
from workflow_scripts._adversarial import read_adversarial

COLUMNS = 14
SEVERITY = 3


def draw_examples(
    clean: Path,
    derived: dict[str, Path],
    adversarial: list[Path],
    kinds: dict[str, str],
    sets: dict[str, list[str]],
    count: int,
    seed: int,
    paths: list[str],
) -> None:
    """Draw a row for each kind; the sets and attacks of a kind take turns along the row."""
    own = read_image_set(clean)
    chosen = subset(own.index["image_id"].to_numpy(), count, seed)[:COLUMNS]
    rows = {"clean": own.images[chosen]}
    for kind in ("corrupt", "adversarial", "novel", "unrecognisable"):
        names = [name for test in sets if kinds[test] == kind for name in sets[test]]
        sources = [_derived(derived[name]) for name in names]
        if kind == "adversarial":
            sources = [images for folder in adversarial for images in _adversarial(folder)]
        if sources:
            turns = [image for turn in zip_longest(*sources) for image in turn if image is not None]
            rows[kind] = np.stack(turns[:COLUMNS])
    save(examples(rows), paths)


def _derived(folder: Path) -> NDArray[np.uint8]:
    """Return the first images of a derived set, at the middle severity where there is one."""
    images = read_image_set(folder)
    shown = images.index["severity"].isin((0, SEVERITY)).to_numpy().nonzero()[0][:COLUMNS]
    return images.images[shown]


def _adversarial(folder: Path) -> list[NDArray[np.uint8]]:
    """Return, condition by condition, the first images of an attack, rounded for the screen."""
    status, images = read_adversarial(folder, COLUMNS)
    if status != OK:
        return []
    return [np.round(255 * part).astype(np.uint8) for part in images.values()]


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_examples(
            Path(snakemake.input.clean).parent,
            {Path(card).parent.name: Path(card).parent for card in snakemake.input.derived},
            [Path(card).parent for card in snakemake.input.adversarial],
            snakemake.params.kinds,
            snakemake.params.sets,
            snakemake.params.n,
            snakemake.params.seed,
            list(snakemake.output),
        )
