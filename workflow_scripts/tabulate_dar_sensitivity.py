"""Tabulate what each choice that DAR leaves open moves, one at a time."""

from collections.abc import Iterator
from typing import Any

from robusteval.clustered import difference, half_width
from workflow_scripts._dar import RATE, Mean, decide, means
from workflow_scripts._scores import Cells, bare, read_models, scored_files
from workflow_scripts._tables import left_out, percent, write_table

CHOICES: dict[str, list[Any]] = {
    "calibration": ["clean", "held_out"],
    "mask": ["correct", "all"],
    "target_rate": [0.9, 0.95, 0.99],
    "rejected_mistake": ["right", "wrong"],
    "averaging": ["kinds", "sets", "images"],
}
DIFFERENCE = "difference_points_higher_better"
COLUMNS = ["model", "option", "choice", "of_study", "kind", "sets", *RATE]
COLUMNS += [DIFFERENCE, "difference_low95_points", "difference_high95_points", "status"]


def choices(options: dict[str, Any], scores: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield each option and each choice of it, the study's own among them."""
    for option, values in {"score": scores, **CHOICES}.items():
        yield from ((option, value) for value in dict.fromkeys([*values, options[option]]))


def rows(
    model: str,
    cells: Cells,
    kinds: dict[str, str],
    options: dict[str, Any],
    scores: list[str],
    seed: int,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each choice and kind of data, with what it differs from the study's own."""
    base = means(decide(cells, kinds, options, seed).sets, options["averaging"])
    for option, choice in choices(options, scores):
        own = choice == options[option]
        changed = options | {option: choice}
        found = (
            base if own else means(decide(cells, kinds, changed, seed).sets, changed["averaging"])
        )
        for kind, mean in found.items():
            yield {
                "model": model,
                "option": option,
                "choice": choice,
                "of_study": "yes" if own else "no",
                "kind": kind,
                **mean.columns(),
                **moved(mean, base[kind]),
            }


def moved(mean: Mean, base: Mean) -> dict[str, float]:
    """Return how many points a mean is above another of the same images, and the interval."""
    if mean.influence is None or base.influence is None:
        return {}
    points = mean.value - base.value
    half = half_width(difference(mean.influence, base.influence))
    return {
        DIFFERENCE: _points(points),
        "difference_low95_points": _points(points - half),
        "difference_high95_points": _points(points + half),
    }


def _points(share: float) -> float:
    """Return a difference of shares in points, with 0.0 for what is -0.0 after rounding."""
    return percent(share) + 0.0


def tabulate_dar_sensitivity(
    paths: list[str],
    kinds: dict[str, str],
    scores: list[str],
    options: dict[str, Any],
    seed: int,
    path: str,
) -> None:
    """Write the table."""
    found: list[dict[str, Any]] = []
    missing = []
    for model, cells in read_models(paths):
        found += rows(model, cells, kinds, options | {"score": scores[0]}, scores, seed)
        missing += [bare(records) for records in cells.values()]
    write_table(path, found, COLUMNS, left_out=left_out(missing))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_dar_sensitivity(
            scored_files(snakemake.input.scored, snakemake.params.kinds),
            snakemake.params.kinds,
            snakemake.params.scores,
            snakemake.params.options,
            snakemake.params.seed,
            snakemake.output.table,
        )
