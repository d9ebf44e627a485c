"""Tabulate how often a model changes its mind along perturbation sequences, and means as mFR.

The flip rate of one kind is the mean flip rate over that kind alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.intervals import normal
from robusteval.metrics.mean_flip_rate import mean_flip_rate
from robusteval.metrics.mean_top5_distance import mean_top5_distance
from robusteval.perturbations._sequences import PARTS, reference_of
from robusteval.records import OK
from workflow_scripts._baseline import defined
from workflow_scripts._perturbed import Baseline, Cell, Measured, baseline_of, read_perturbed
from workflow_scripts._tables import percent, write_table

VALUE = "flip_probability_pct_lower_better"
RATE = "flip_rate_pct_lower_better"
DISTANCE = "top5_distance_0_to_15_lower_better"
COLUMNS = ["model", "test", "family", "kind", "part", "frames", "compared_with", "n", VALUE]
COLUMNS += ["normal95_low_pct", "normal95_high_pct", "baseline", RATE, DISTANCE, "status"]
MEAN_VALUE = "mean_flip_probability_pct_lower_better"
MEAN_DISTANCE = "mean_top5_distance_0_to_15_lower_better"
MFR, MT5D = "mfr_pct_lower_better", "mt5d_pct_lower_better"
MEAN = ["model", "test", "family", "part", "kinds", "kinds_of_part", "n_per_kind", MEAN_VALUE]
MEAN += ["normal95_low_pct", "normal95_high_pct", "baseline", MFR, MEAN_DISTANCE, MT5D]
MEAN += ["status"]


def by_kind(
    cells: Mapping[tuple[str, str], Cell], baselines: Mapping[str, Baseline]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and kind of perturbation; ``baselines`` are by test."""
    for (model, test), cell in cells.items():
        base = baselines[test]
        row: dict[str, Any] = {"model": model, "test": test, "family": cell.family}
        row["baseline"] = base.name
        if cell.status != OK:
            yield {**row, "n": 0, "status": cell.status}
        for kind, found in cell.kinds.items():
            low, high = normal(found.flipped)
            values = {
                "kind": kind,
                "part": part_of(kind, cell.family),
                "frames": found.frames,
                "compared_with": f"{reference_of(kind)} frame",
                "n": len(found.flipped),
                VALUE: percent(found.probability),
                "normal95_low_pct": percent(low),
                "normal95_high_pct": percent(high),
                DISTANCE: round(found.distance, 4),
                "status": status_of(base),
            }
            if base.status == OK:
                ours = {kind: found.probability}
                values[RATE] = defined(mean_flip_rate, ours, only(ours, base.probability))
            yield {**row, **values}


def means(
    cells: Mapping[tuple[str, str], Cell], baselines: Mapping[str, Baseline]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and part of the kinds, the ten that mFR is over and the extra
    ones: of those measured, the mean flip probability and top-5 distance, mFR and mT5D."""
    for (model, test), cell in cells.items():
        base = baselines[test]
        row: dict[str, Any] = {"model": model, "test": test, "family": cell.family}
        row["baseline"] = base.name
        if cell.status != OK:
            yield {**row, "n_per_kind": 0, "status": cell.status}
        for part, of_part in PARTS[cell.family].items():
            found = {kind: m for kind, m in cell.kinds.items() if kind in of_part}
            if not found:
                continue
            probability = {kind: m.probability for kind, m in found.items()}
            distance = {kind: m.distance for kind, m in found.items()}
            low, high = normal(by_image(found))
            values = {
                "part": part,
                "kinds": len(found),
                "kinds_of_part": len(of_part),
                "n_per_kind": len(next(iter(found.values())).flipped),
                MEAN_VALUE: percent(float(np.mean(list(probability.values())))),
                "normal95_low_pct": percent(low),
                "normal95_high_pct": percent(high),
                MEAN_DISTANCE: round(float(np.mean(list(distance.values()))), 4),
                "status": status_of(base),
            }
            if base.status == OK:
                theirs = only(found, base.probability)
                values[MFR] = defined(mean_flip_rate, probability, theirs)
            if base.status == OK and base.distance:
                theirs = only(found, base.distance)
                values[MT5D] = defined(mean_top5_distance, distance, theirs)
            yield {**row, **values}


def only(kinds: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, float]:
    """Return the values of ``kinds``; where one is missing the ratio has no value either."""
    return {kind: values[kind] for kind in kinds if kind in values}


def by_image(found: Mapping[str, Measured]) -> NDArray[np.float64]:
    """Return the mean (M,) over kinds of the share of flips of each image's sequences.

    The sequences of an image are not independent of each other, so an interval of the mean over
    kinds goes by image.
    """
    first, *others = found.values()
    assert all(np.array_equal(first.image_id, other.image_id) for other in others)
    mean: NDArray[np.float64] = np.mean([m.flipped for m in found.values()], axis=0)
    return mean


def part_of(kind: str, family: str) -> str:
    """Return whether a kind is one of the ten that means are over or an extra one."""
    return next(part for part, kinds in PARTS[family].items() if kind in kinds)


def status_of(base: Baseline) -> str:
    """Return the status of a row whose own values are there: that of its baseline."""
    return OK if base.status == OK else f"baseline {base.name}: {base.status}"


def tabulate_flip_rate(
    records: list[str], baseline: str, published: str, rates: str, mean: str
) -> None:
    """Write both tables."""
    cells = read_perturbed(records)
    tests = dict.fromkeys(test for _, test in cells)
    baselines = {test: baseline_of(baseline, test, cells, published) for test in tests}
    write_table(rates, by_kind(cells, baselines), COLUMNS)
    write_table(mean, means(cells, baselines), MEAN)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_flip_rate(
            list(snakemake.input.records),
            snakemake.params.baseline,
            snakemake.input.published,
            snakemake.output.rates,
            snakemake.output.mean,
        )
