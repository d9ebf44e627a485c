"""What models do along perturbation sequences, read from the records of their cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._sequences import flips
from robusteval.metrics.flip_probability import flip_probability
from robusteval.metrics.top5_distance import top5_distance
from robusteval.perturbations._sequences import reference_of
from robusteval.published.flip_probabilities import flip_probabilities
from robusteval.records import OK, Records, read_records


@dataclass(frozen=True)
class Measured:
    """What a model does under one kind of perturbation.

    ``flipped`` (M,) is the share of the frames of each sequence at which the class flips.
    """

    frames: int
    image_id: NDArray[np.int64]
    flipped: NDArray[np.float64]
    probability: float
    distance: float


@dataclass(frozen=True)
class Cell:
    """A model on a perturbation test: what it does by kind, or why that is not known."""

    status: str
    family: str
    kinds: dict[str, Measured]


@dataclass(frozen=True)
class Baseline:
    """What ratios are against; ``distance`` is empty where none is published."""

    name: str
    status: str
    probability: Mapping[str, float]
    distance: Mapping[str, float]


def measured(path: str, records: Records) -> Cell:
    """Return what the records of a cell, read from ``path``, say by kind of perturbation.

    Raises:
        ValueError: the frames of a sequence are not complete and in order.
    """
    kinds = {}
    for kind, part in records.frame.groupby("condition", sort=False):
        count = int(part["severity"].max())
        if not np.array_equal(
            part["severity"], np.tile(np.arange(1, count + 1), len(part) // count)
        ):
            raise ValueError(
                f"{path}: {kind}: sequences are incomplete or out of order; delete it and run again"
            )
        places = [name for name in part.columns if name == "prediction" or name[:4] == "top_"]
        top = part[places].to_numpy().reshape(-1, count, len(places))
        reference = reference_of(str(kind))
        kinds[str(kind)] = Measured(
            count,
            part["image_id"].to_numpy()[::count],
            flips(top[..., 0], reference=reference).mean(axis=1),
            flip_probability(top[..., 0], reference=reference),
            top5_distance(top, reference=reference),
        )
    return Cell(records.status, records.settings["family"], kinds)


def baseline_of(
    name: str, test: str, cells: Mapping[tuple[str, str], Cell], published: str
) -> Baseline:
    """Return the baseline of a test: a model of the study, or one whose values are published."""
    if (name, test) in cells:
        cell = cells[name, test]
        return Baseline(
            name,
            cell.status,
            {kind: m.probability for kind, m in cell.kinds.items()},
            {kind: m.distance for kind, m in cell.kinds.items()},
        )
    families = flip_probabilities(published, name)
    if not families:
        return Baseline(name, "no published flip probabilities", {}, {})
    family = next(cell.family for (_, t), cell in cells.items() if t == test)
    status = OK if family in families else f"published for {next(iter(families))}, not {family}"
    return Baseline(f"{name} (published)", status, families.get(family, {}), {})


def read_perturbed(paths: list[str]) -> dict[tuple[str, str], Cell]:
    """Return the cells at ``.../{model}/{test}.parquet``, by (model, test).

    Only one file is in memory at a time: one of 50,000 images has millions of rows.
    """
    return {(Path(p).parent.name, Path(p).stem): measured(p, read_records(p)) for p in paths}
