"""Draw images made against the baseline by each attack, and what was changed."""

from pathlib import Path

import numpy as np

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.adversarial_examples import adversarial_examples
from robusteval.images._image_set import read_image_set
from robusteval.records import OK
from workflow_scripts._adversarial import attacked_ids, read_adversarial

COLUMNS = 10


def draw_adversarial_examples(clean: Path, adversarial: list[Path], paths: list[str]) -> None:
    """Draw the clean images, then for each attack and condition its images and its changes."""
    attacks, ids, reason = {}, [], ""
    for folder in adversarial:
        status, images = read_adversarial(folder, COLUMNS)
        if status != OK:
            reason = f"{folder.parent.name}: {status}"
            continue
        ids = ids or attacked_ids(folder, COLUMNS)
        assert attacked_ids(folder, COLUMNS) == ids, folder  # a study's attacks share their images
        attacks |= {f"{folder.name}, {c}": part for c, part in images.items()}
    if not attacks:
        save(nothing_to_draw(reason), paths)
        return
    own = read_image_set(clean)
    position = {int(i): n for n, i in enumerate(own.index["image_id"])}
    shown = own.images[[position[i] for i in ids]].astype(np.float32) / 255
    save(adversarial_examples(shown, attacks), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_adversarial_examples(
            Path(snakemake.input.clean).parent,
            [Path(card).parent for card in snakemake.input.adversarial],
            list(snakemake.output),
        )
