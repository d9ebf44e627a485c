"""Write a study's clean accuracies in the format of timm's result tables."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robusteval.files import read_json, replacing
from robusteval.published.exports.timm import Result, timm
from robusteval.published.names import names_of
from robusteval.records import OK, Records
from workflow_scripts._tables import read_cells

STORED = (1.0, "none")  # crop and interpolation of images that are taken as they are stored
Entries = Mapping[str, Mapping[str, Any]]


def export_timm(
    records: list[str], folders: Mapping[str, str], models: Entries, views: Entries, output: str
) -> None:
    """Write a line for each model of ``records``; broken cells are left out.

    ``folders`` are those of the models, ``models`` and ``views`` entries of the catalogue.
    """
    results = []
    for (model, _), cell in read_cells(records).items():
        if cell.status == OK:
            results.append(result(model, cell, Path(folders[model]), models[model], views))
    with replacing(output) as temporary:
        temporary.write_text(timm(results))


def result(
    model: str, cell: Records, folder: Path, entry: Mapping[str, Any], views: Entries
) -> Result:
    """Return what timm's table says of one model, under the name that its weights have there."""
    view = views.get(str(entry.get("view", "")), {})
    size = int(read_json(folder / "card.json")["input_size"][0])
    crop = (view["crop_fraction"], view["interpolation"]) if "size" in view else STORED
    name = next((n for n in names_of(model, entry) if "." in n), model)
    label = cell.frame["label"].to_numpy()
    top1 = float((cell.frame["prediction"].to_numpy() == label).mean())
    return Result(name, size, top1, top5(cell), weights(folder / "weights.safetensors"), *crop)


def top5(cell: Records) -> float:
    """Return the share of images whose label is among the five largest logits."""
    label = cell.frame["label"].to_numpy()
    own = np.take_along_axis(cell.logits, label[:, None], axis=1)
    return float(((cell.logits > own).sum(axis=1) < 5).mean())


def weights(path: Path) -> int:
    """Return the number of floating-point values in a safetensors file, from its head alone.

    Statistics of batch normalisation are among them, as in no count of trained parameters.
    """
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        head = json.loads(file.read(length))
    tensors = [entry for name, entry in head.items() if name != "__metadata__"]
    floats = [t["shape"] for t in tensors if "F" in t["dtype"]]
    return int(sum(np.prod(shape, dtype=np.int64) for shape in floats))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        export_timm(
            list(snakemake.input.records),
            snakemake.params.folders,
            snakemake.params.models,
            snakemake.params.views,
            snakemake.output.table,
        )
