"""Ask Square, which needs no gradient, about images on which an attack met a zero gradient."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from robusteval.attacks._adversarials import ZERO_GRADIENT
from robusteval.files import read_json, sha256
from robusteval.models._errors import ModelError
from robusteval.progress import Progress
from robusteval.records import OK, Records, failed, read_records, write_records
from robusteval.seeds import generator
from workflow_scripts._goals import targets_of
from workflow_scripts._lists import read_list

log = logging.getLogger(__name__)

QUERIES = 1000  # an image; in the head of the table's column too
NORMS = {"pgd_l1": "l1", "boundary": "l2"}  # of attacks that know one only, other than linf
KEPT = ["image_id", "label", "condition", "severity", "target"]


def unmask(
    model_folder: Path,
    source: Path,
    asked: list[pd.DataFrame],
    *,
    seed: int,
    batch_size: int,
    code: list[str],
    device: str,
    path: Path,
) -> None:
    """Write which images hold against Square, too, that held where the gradient was 0.

    ``asked`` is what `questions` found. Records have its rows; ``broken`` says whether Square
    reached the goal with the same budget. Where nothing is asked the model is not loaded.
    """
    card = read_json(model_folder / "card.json")
    settings = {
        "weights": card["weights_sha256"],
        "seed": seed,
        "queries": QUERIES,
        "code": [sha256(file) for file in code],
    }
    frame = pd.DataFrame(columns=[*KEPT, "attack", "eps", "norm", "broken", "forwards"])
    if asked:
        from workflow_scripts._made_with import made_with  # loads torch

        settings |= made_with(device)
        progress = Progress(sum(map(len, asked)), "images")
        try:
            frames = _answers(model_folder, source, asked, seed, batch_size, device, progress)
        except ModelError as error:
            log.error("%s", error)
            write_records(path, failed(str(error), settings))
            return
        frame = pd.concat(frames, ignore_index=True)
    nothing = np.empty((len(frame), 0), np.float32)
    write_records(path, Records(frame, nothing, settings=settings))


def questions(folders: Mapping[str, Path]) -> list[pd.DataFrame]:
    """Return, a frame an attack and condition, the images that held while their gradient was 0.

    ``folders`` are those of the adversarial images, by attack. A gradient is 0 where it is so at
    every pixel. Conditions without a budget in L-infinity or L2 are left out.
    """
    return [
        part.assign(attack=attack, eps=values["eps"], norm=norm)
        for attack, folder in folders.items()
        for values, norm, part in _held(folder)
        if "eps" in values and norm in ("linf", "l2")
    ]


def _held(folder: Path) -> Iterator[tuple[Mapping[str, Any], str, pd.DataFrame]]:
    """Yield each condition's settings, its norm, and the images that held at a zero gradient."""
    card = read_json(folder / "card.json")
    if card["status"] != OK:
        return
    frame = read_records(folder / "records.parquet").frame
    frame = frame.assign(target=targets_of(frame))
    frame = frame[(frame["odd"] == ZERO_GRADIENT) & ~frame["success"].astype(bool)]
    for condition, values in card["conditions"]:
        part = frame.loc[frame["condition"] == condition, KEPT]
        if len(part):
            yield values, values.get("norm", NORMS.get(card["attack"], "linf")), part


def _answers(
    model_folder: Path,
    source: Path,
    asked: list[pd.DataFrame],
    seed: int,
    batch_size: int,
    device: str,
    progress: Progress,
) -> list[pd.DataFrame]:
    """Return the rows ``asked`` about with what Square made of them."""
    import torch

    from robusteval.attacks.square import square
    from robusteval.batches import as_tensor
    from robusteval.images._image_set import read_image_set
    from robusteval.models._card import load_model

    model, _ = load_model(model_folder, device)
    clean = read_image_set(source)
    place = {int(image): i for i, image in enumerate(clean.index["image_id"])}
    frames = []
    for part in asked:
        ids = [int(image) for image in part["image_id"]]
        targets = torch.tensor(part["target"].to_numpy(np.int64))
        # A goal is the same for all images of a condition: a class each, or any wrong one.
        aimed = bool((targets >= 0).all())
        found = square(
            model,
            as_tensor(clean.images[[place[image] for image in ids]]),
            torch.tensor(part["label"].to_numpy(np.int64)),
            generators=[generator(seed, "unmask", image) for image in ids],
            batch_size=batch_size,
            progress=progress,
            target=targets if aimed else None,
            loss="cross_entropy" if aimed else "margin",
            eps=float(part["eps"].iloc[0]),
            norm=str(part["norm"].iloc[0]),
            queries=QUERIES,
        )
        frames.append(part.assign(broken=found.success.numpy(), forwards=found.forwards.numpy()))
    return frames


if __name__ == "__main__":
    from contextlib import nullcontext

    from workflow_scripts._job import device, job

    with job(snakemake):
        folders = [Path(card).parent for card in read_list(snakemake.input.adversarial)]
        asked = questions({folder.name: folder for folder in folders})
        # As a rule nothing is asked: neither torch nor a device is needed then.
        with device(snakemake.threads) if asked else nullcontext("cpu") as where:
            unmask(
                Path(snakemake.input.model).parent,
                Path(snakemake.input.images).parent,
                asked,
                seed=snakemake.params.seed,
                batch_size=snakemake.params.batch_size,
                code=[*snakemake.input.square, *snakemake.input.builder, *snakemake.input.code],
                device=where,
                path=Path(snakemake.output.records),
            )
