"""Draw originals, round trips, searched images, what was changed, and who says what."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.searched_examples import searched_examples
from robusteval.images._image_set import ImageSet, read_image_set
from robusteval.records import OK, read_records
from workflow_scripts._fmr import conditions_of, part
from workflow_scripts._searching import ORIGINAL, ROUND_TRIP, names_of

COLUMNS, MODELS = 9, 4  # in one sheet


def draw_searched_examples(clean: Path, searches: list[Path], paths: list[str]) -> None:
    """Draw the first images of the first search's first condition, unchosen, for a few models.

    Images of models that see them in another size than the first one are left out.
    """
    records = {folder: read_records(folder / "records.parquet") for folder in searches}
    made = [folder for folder, found in records.items() if found.status == OK]
    if not made:
        save(nothing_to_draw(records[searches[0]].status), paths)
        return
    test, size = made[0].name, records[made[0]].settings["size"]
    shown = [f for f in made if f.name == test and records[f].settings["size"] == size][:MODELS]
    first = next(iter(conditions_of(records[shown[0]])))
    sets = {folder: read_image_set(folder) for folder in shown}
    classes = names_of(sets[shown[0]].card["classes"])
    said: dict[str, list[tuple[str, str]]] = {}
    searched: dict[str, Any] = {}
    for folder, found in sets.items():
        label = f"{folder.parent.name},\n{first}"
        searched[label] = _images(found, first)
        said[label] = _said(records[folder].frame, first, classes)
    frame = records[shown[0]].frame
    said |= {label: _said(frame, label, classes, False) for label in (ORIGINAL, ROUND_TRIP)}
    truth = [classes[label] for label in part(frame, ORIGINAL)["label"].head(COLUMNS)]
    save(
        searched_examples(
            _originals(clean, part(frame, ORIGINAL)),
            _images(sets[shown[0]], ROUND_TRIP),
            searched,
            said,
            part(frame, ROUND_TRIP)["valid"].to_numpy(np.bool_)[:COLUMNS],
            truth,
        ),
        paths,
    )


def _images(found: ImageSet, condition: str) -> NDArray[np.uint8]:
    """Return the first images of a condition."""
    places = np.flatnonzero((found.index["condition"] == condition).to_numpy())[:COLUMNS]
    images: NDArray[np.uint8] = found.images[places]
    return images


def _originals(clean: Path, frame: pd.DataFrame) -> NDArray[np.uint8]:
    """Return the originals of the first rows of ``frame``."""
    own = read_image_set(clean)
    place = {int(image): n for n, image in enumerate(own.index["image_id"])}
    images: NDArray[np.uint8] = own.images[[place[i] for i in frame["image_id"].head(COLUMNS)]]
    return images


def _said(
    frame: pd.DataFrame, condition: str, classes: list[str], model: bool = True
) -> list[tuple[str, str]]:
    """Return what the model, if it is asked for, and the oracle see in the first images."""
    own = part(frame, condition).head(COLUMNS)
    seen = zip(own["prediction"], own["accepted_prediction"], strict=True)
    return [(classes[m] if model else "", classes[o]) for m, o in seen]


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_searched_examples(
            Path(snakemake.input.images).parent,
            [Path(card).parent for card in snakemake.input.searches],
            [snakemake.output.svg, snakemake.output.pdf, snakemake.output.png],
        )
