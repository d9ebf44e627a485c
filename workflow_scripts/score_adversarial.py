"""Score a model's answers to the images made against itself, and how visible the changes are."""

from pathlib import Path

import numpy as np
import pandas as pd

from robusteval.images._image_set import read_image_set
from robusteval.records import OK, Records, read_records, write_records
from workflow_scripts._fitted import Fitted
from workflow_scripts._lists import expanded, read_list, write_list
from workflow_scripts._tables import own, right_images
from workflow_scripts._visibility import COLUMNS, visibility
from workflow_scripts.score import known_of, scored


def score_adversarial(
    transfers: list[str],
    model: str,
    names: list[str],
    outputs: list[str],
    features: list[str] | None = None,
    known: Fitted | None = None,
) -> None:
    """Write the scored cell of each attack on ``model``; transfer records have all sources.

    Files of ``features`` are found by the attack in their name, whatever their order.
    """
    seen = {Path(path).stem: path for path in features or []}
    for transfer, output in zip(transfers, outputs, strict=True):
        place = seen.get(Path(transfer).parent.name, "")
        write_records(output, scored(own(read_records(transfer), model), names, place, known))


def measure_visibility(
    transfers: list[str],
    attacks: list[Path],
    clean: Path,
    before: str,
    model: str,
    count: int,
    path: str,
) -> None:
    """Write how visible the changes of the successes of each attack on ``model`` are.

    The images are those of ``clean``, and ``before`` the model's records of them. Folders of
    ``attacks`` are found by their name, whatever their order. Attacks that failed, or whose images
    the model could not be asked about, are in the settings.
    """
    folders = {attack.name: attack for attack in attacks}
    images, right = read_image_set(clean), right_images(read_records(before))
    frames = [pd.DataFrame(columns=COLUMNS)]
    failed = {}
    for transfer in transfers:
        attack = folders[Path(transfer).parent.name]
        verdict = own(read_records(transfer), model)
        if verdict.status != OK:
            failed[attack.name] = verdict.status
        else:
            frames += visibility(attack, images, verdict, right, count)
    settings = {"count": count, "failed": failed}
    frame = pd.concat(frames[1:] or frames, ignore_index=True)
    write_records(path, Records(frame, np.empty((len(frame), 0), np.float32), OK, settings))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        transfers, model = read_list(snakemake.input.transfers), snakemake.wildcards.model
        names = snakemake.params.scores
        path = Path(snakemake.output.scores)
        scores = [str(path.with_name(f"{Path(t).parent.name}.parquet")) for t in transfers]
        score_adversarial(
            transfers,
            model,
            names,
            scores,
            list(snakemake.input.features),
            known_of(list(snakemake.input.training), names, snakemake.params.settings),
        )
        write_list(path, map(Path, scores))
        if snakemake.params.visible:
            measure_visibility(
                transfers,
                [Path(c).parent for c in expanded(snakemake.input.adversarial)],
                Path(snakemake.input.clean).parent,
                snakemake.input.before[0],
                model,
                snakemake.params.visible,
                snakemake.output.visibility[0],
            )
