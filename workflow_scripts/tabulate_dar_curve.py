"""Tabulate DAR of known and of unknown images as the threshold moves."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics.dar import dar
from robusteval.metrics.mean_dar import mean_dar
from robusteval.records import OK
from workflow_scripts._dar import KNOWN, UNKNOWN, decide
from workflow_scripts._scores import Cells, bare, parts, read_models, scored_files
from workflow_scripts._tables import left_out, percent, write_table

KNOWN_VALUE = "dar_pct_known_higher_better"
UNKNOWN_VALUE = "dar_pct_unknown_higher_better"
COLUMNS = ["model", "score", "threshold", "of_study", "accepted_pct_of_clean", "n_known"]
COLUMNS += ["n_unknown", KNOWN_VALUE, UNKNOWN_VALUE, "status"]
POINTS = 101
ONE_SIDED = "no unknown image set"


def thresholds(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds from accepting all to rejecting all: quantiles of a model's scores."""
    inner = np.quantile(values, np.linspace(0, 1, POINTS), method="lower")
    return np.unique(np.concatenate([[-np.inf], inner, [np.inf]]))


def rows(
    model: str, cells: Cells, kinds: dict[str, str], options: dict[str, Any], seed: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for each threshold, the study's own among them; one with a reason if none."""
    score, decided = options["score"], decide(cells, kinds, options, seed)
    row = {"model": model, "score": score}
    bad = [one.status for one in decided.sets if one.status != OK]
    if not bad and not any(one.kind in UNKNOWN for one in decided.sets):
        bad = [ONE_SIDED]
    if bad:
        yield {**row, "n_known": 0, "n_unknown": 0, "status": bad[0]}
        return
    # The same images as DAR: the clean test is without those that were held out.
    sets = []
    frames = (part for records in cells.values() for _, _, part in parts(records))
    for one, frame in zip(decided.sets, frames, strict=True):
        frame = frame[frame["image_id"].isin(one.image)]
        said = [frame[key].to_numpy() for key in (score, "label", "prediction")]
        sets.append((one.kind, said))
    known = [one for one in sets if one[0] in KNOWN]
    unknown = [one for one in sets if one[0] in UNKNOWN]
    clean = np.concatenate([said[0] for kind, said in known if kind == "clean"])
    row |= {"n_known": _count(known), "n_unknown": _count(unknown), "status": OK}
    every = thresholds(np.concatenate([said[0] for _, said in sets]))
    # Thresholds that are printed alike are one, the study's own if it is among them.
    printed = {f"{t:.8g}": t for t in [*every, decided.threshold]}
    for text, threshold in sorted(printed.items(), key=lambda item: item[1]):
        yield {
            **row,
            "threshold": float(text),
            "of_study": "yes" if threshold == decided.threshold else "no",
            "accepted_pct_of_clean": percent(float(np.mean(clean >= threshold))),
            KNOWN_VALUE: percent(_mean(known, threshold, options)),
            UNKNOWN_VALUE: percent(_mean(unknown, threshold, options)),
        }


def _count(sets: Sequence[tuple[str, list[Any]]]) -> int:
    return sum(len(said[0]) for _, said in sets)


def _mean(
    sets: Sequence[tuple[str, list[Any]]], threshold: float, options: dict[str, Any]
) -> float:
    """Return the mean DAR over ``sets`` at a threshold."""
    how = {"rejected_mistake": options["rejected_mistake"]}
    return mean_dar(
        np.array([dar(*said, threshold, **how) for _, said in sets]),
        np.array([kind for kind, _ in sets]),
        np.array([len(said[0]) for _, said in sets]),
        averaging=options["averaging"],
    )


def tabulate_dar_curve(
    paths: list[str],
    kinds: dict[str, str],
    scores: list[str],
    options: dict[str, Any],
    seed: int,
    path: str,
) -> None:
    """Write the table, of the first score."""
    found: list[dict[str, Any]] = []
    missing = []
    for model, cells in read_models(paths):
        found += rows(model, cells, kinds, options | {"score": scores[0]}, seed)
        missing += [bare(records) for records in cells.values()]
    write_table(path, found, COLUMNS, left_out=left_out(missing))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_dar_curve(
            scored_files(snakemake.input.scored, snakemake.params.kinds),
            snakemake.params.kinds,
            snakemake.params.scores,
            snakemake.params.options,
            snakemake.params.seed,
            snakemake.output.table,
        )
