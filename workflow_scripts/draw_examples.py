"""Draw example images of every kind of data."""

from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.figures._style import save
from robusteval.figures.examples import examples
from robusteval.images._image_set import drawn, read_image_set
from workflow_scripts._adversarial import attacked_ids, read_adversarial
from workflow_scripts._lists import expanded

COLUMNS = 14
SEVERITY = 3


def draw_examples(
    clean: Path,
    derived: dict[str, list[Path]],
    adversarial: list[Path],
    count: int,
    seed: int,
    paths: list[str],
) -> None:
    """Draw a row for each kind; the sets and attacks of a kind take turns along the row."""
    own = read_image_set(clean)
    chosen = drawn(own, count, seed)[:COLUMNS]
    made = [images for folder in adversarial for images in _adversarial(folder)]
    sources = {kind: [_derived(folder) for folder in folders] for kind, folders in derived.items()}
    sources["adversarial"] = made
    rows = {"clean": own.images[chosen]}
    for kind in ("corrupt", "adversarial", "novel", "unrecognisable"):
        if sources[kind]:
            turns = zip_longest(*sources[kind])
            images = [image for turn in turns for image in turn if image is not None]
            rows[kind] = np.stack(images[:COLUMNS])
    save(examples(rows), paths)


def _derived(folder: Path) -> NDArray[np.uint8]:
    """Return the first images of a derived set, at the middle severity where there is one."""
    images = read_image_set(folder)
    severity = images.index["severity"]
    shown = (severity == min(SEVERITY, severity.max())).to_numpy().nonzero()[0][:COLUMNS]
    return images.images[shown]


def _adversarial(folder: Path) -> list[NDArray[np.uint8]]:
    """Return, condition by condition, the first images of an attack, rounded for the screen."""
    ids = attacked_ids(folder)[:COLUMNS]
    images = read_adversarial(folder, ids) if ids else {}
    return [np.round(255 * part).astype(np.uint8) for part in images.values()]


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_examples(
            Path(snakemake.input.clean).parent,
            {
                kind: [Path(card).parent for card in snakemake.input[kind]]
                for kind in ("corrupt", "novel", "unrecognisable")
            },
            [Path(card).parent for card in expanded(snakemake.input.adversarial)],
            snakemake.params.n,
            snakemake.params.seed,
            list(snakemake.output),
        )
