"""Write a study's accuracies under corruptions in the two formats of RobustBench."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robusteval.corruptions._parts import FIFTEEN
from robusteval.files import replacing
from robusteval.published.exports.robustbench_corruptions import robustbench_corruptions
from robusteval.published.exports.robustbench_json import robustbench_json
from robusteval.published.formats.robustbench_json import IMAGES
from robusteval.records import OK
from workflow_scripts._tables import read_cells

SEVERITIES = (1, 2, 3, 4, 5)
BOARDS = {images: board for board, images in IMAGES.items()}


def export_robustbench(
    corrupt: list[str],
    clean: list[str],
    models: Mapping[str, Mapping[str, Any]],
    dataset: str,
    table: str,
    summaries: str,
) -> None:
    """Write the table of all models with the fifteen corruptions, and a summary file for each.

    Summaries lie in ``summaries`` as on the board, imagenet/corruptions/{model}.json for example;
    ``dataset`` is the id of the study's images, and stays where the board has no such data.
    A model without one of the fifteen, at all five severities, has no place on that board and is
    left out, as is one whose cell is broken.
    """
    own = {model: cell for (model, _), cell in read_cells(clean).items() if cell.status == OK}
    accuracies = {}
    for (model, _), cell in read_cells(corrupt).items():
        right = cell.frame["prediction"] == cell.frame["label"]
        found = right.groupby([cell.frame["condition"], cell.frame["severity"]]).mean().to_dict()
        heads = [(corruption, s) for corruption in FIFTEEN for s in SEVERITIES]
        if model in own and all(head in found for head in heads):
            accuracies[model] = {head: float(found[head]) for head in heads}
    with replacing(table) as temporary:
        temporary.write_text(robustbench_corruptions(accuracies))
    board = BOARDS.get(dataset, dataset)
    folder = Path(summaries) / board / "corruptions"
    folder.mkdir(parents=True, exist_ok=True)
    for model, accuracy in accuracies.items():
        frame = own[model].frame
        percents = {
            "clean_acc": 100 * float((frame["prediction"] == frame["label"]).mean()),
            "corruptions_acc": 100 * float(np.mean(list(accuracy.values()))),
        }
        arguments = models[model].get("arguments", {})
        architecture = str(arguments.get("name", models[model]["builder"]))
        with replacing(folder / f"{model}.json") as temporary:
            temporary.write_text(robustbench_json(architecture, board, percents))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        export_robustbench(
            list(snakemake.input.corrupt),
            list(snakemake.input.clean),
            snakemake.params.models,
            snakemake.params.dataset,
            snakemake.output.table,
            snakemake.output.summaries,
        )
