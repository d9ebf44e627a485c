"""Draw images made against the baseline by each attack, and what was changed."""

from pathlib import Path

import numpy as np

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.adversarial_examples import adversarial_examples
from robusteval.files import read_json
from robusteval.images._image_set import read_image_set
from workflow_scripts._adversarial import attacked_ids, read_adversarial
from workflow_scripts._lists import expanded

COLUMNS = 10
MOST = 8  # conditions; of more, the first one of each attack is drawn


def draw_adversarial_examples(clean: Path, adversarial: list[Path], paths: list[str]) -> None:
    """Draw clean images that all attacks share, then each attack's images of them and changes."""
    ids = {folder: attacked_ids(folder) for folder in adversarial}
    made = {folder: own for folder, own in ids.items() if own}
    if not made:
        folder = adversarial[0]
        status = read_json(folder / "card.json")["status"]
        save(nothing_to_draw(f"{folder.parent.name}: {status}"), paths)
        return
    common = set.intersection(*map(set, made.values()))
    chosen = [image for image in next(iter(made.values())) if image in common][:COLUMNS]
    attacks = {folder: read_adversarial(folder, chosen) for folder in made}
    few = sum(map(len, attacks.values())) <= MOST
    drawn = {
        f"{folder.name}, {condition}": images
        for folder, conditions in attacks.items()
        for condition, images in list(conditions.items())[: None if few else 1]
    }
    own = read_image_set(clean)
    position = {int(image): n for n, image in enumerate(own.index["image_id"])}
    shown = own.images[[position[image] for image in chosen]].astype(np.float32) / 255
    save(adversarial_examples(shown, drawn), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_adversarial_examples(
            Path(snakemake.input.clean).parent,
            [Path(card).parent for card in expanded(snakemake.input.adversarial)],
            list(snakemake.output),
        )
