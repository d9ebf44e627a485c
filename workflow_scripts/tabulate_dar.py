"""Tabulate DAR, the share of right decisions of a model that may reject, and what it rests on."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.records import OK
from workflow_scripts._dar import KINDS, OPTIONS, RATE, VALUE, Decided, decide, means, printed
from workflow_scripts._scores import PROBABILITY, Cells, bare, read_models, scored_files, with_score
from workflow_scripts._tables import left_out, rate_with_interval, write_table

ABOUT = [*OPTIONS, "n_calibration", "status"]
BY_KIND = ["model", "kind", "sets", *RATE, *ABOUT]
BY_SET = ["model", "kind", "test", "condition", "severity", "n", VALUE]
BY_SET += ["wilson95_low_pct", "wilson95_high_pct", *ABOUT]
BINS = 40
Values = NDArray[np.float64]
HISTOGRAM = ["model", "score", "kind", "bin_low", "bin_high", "count", "threshold"]


def by_set(model: str, decided: Decided, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each image set: a condition and severity of a test."""
    for one in decided.sets:
        row = {"model": model, "kind": one.kind, "test": one.test, **printed(options)}
        if one.status != OK:
            yield {**row, "n": 0, "status": one.status}
            continue
        n = len(one.right)
        yield {
            **row,
            "condition": one.condition,
            "severity": one.severity,
            "n": n,
            **rate_with_interval(one.dar, n, VALUE),
            "n_calibration": decided.calibrated_on,
            "status": OK,
        }


def by_kind(model: str, decided: Decided, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each kind, and one for the mean.

    A kind with a set that is missing has no value, nor has a mean without that kind. The kind of
    searched images is in no mean.
    """
    about = printed(options) | {"n_calibration": decided.calibrated_on}
    for kind, mean in means(decided.sets, options["averaging"]).items():
        yield {"model": model, "kind": kind, **about, **mean.columns()}


def confidences(cells: Cells, kinds: dict[str, str], score: str) -> dict[str, Values]:
    """Return the scores (N,) of a model's images by kind, without kinds of which a set is missing.

    The maximum softmax probability is a probability here, any other score as it is.
    """
    found = {}
    for kind in KINDS:
        own = [with_score(cell, score) for test, cell in cells.items() if kinds[test] == kind]
        if own and all(records.status == OK for records in own):
            values = np.concatenate([records.frame[score].to_numpy() for records in own])
            found[kind] = shown(values, score)
    return found


def shown(values: Values, score: str) -> Values:
    """Return ``values`` of a score on the scale on which it is drawn."""
    return np.exp(values) if score == PROBABILITY else values


def edges_of(confidence: dict[str, dict[str, Values]], score: str) -> Values:
    """Return the edges of the bins: of probabilities, or from the least score to the largest."""
    values = [part for kinds in confidence.values() for part in kinds.values()]
    if score == PROBABILITY or not values:
        return np.linspace(0, 1, BINS + 1)
    low, high = min(part.min() for part in values), max(part.max() for part in values)
    return np.linspace(low, high if high > low else low + 1, BINS + 1)


def histogram(
    confidence: dict[str, dict[str, Values]], threshold: dict[str, float], score: str
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, kind and bin of the score."""
    edges = edges_of(confidence, score)
    for model, kinds in confidence.items():
        for kind, values in kinds.items():
            counts, _ = np.histogram(values, edges)
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True):
                yield {
                    "model": model,
                    "score": score,
                    "kind": kind,
                    "bin_low": round(low, 6),
                    "bin_high": round(high, 6),
                    "count": count,
                    "threshold": round(float(shown(np.array(threshold[model]), score)), 6),
                }


def tabulate_dar(
    paths: list[str],
    kinds: dict[str, str],
    scores: list[str],
    options: dict[str, Any],
    seed: int,
    outputs: dict[str, str],
) -> None:
    """Write DAR by kind, by image set and by score, and the histograms of the first score."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ("kind", "set", "score")}
    confidence, threshold, missing = {}, {}, []
    for model, own in read_models(paths):
        confidence[model] = confidences(own, kinds, scores[0])
        missing += [bare(records) for records in own.values()]
        for score in scores:
            chosen = options | {"score": score}
            decided = decide(own, kinds, chosen, seed)
            rows["score"] += by_kind(model, decided, chosen)
            if score == scores[0]:
                threshold[model] = decided.threshold
                rows["kind"] += by_kind(model, decided, chosen)
                rows["set"] += by_set(model, decided, chosen)
    write_table(outputs["by_kind"], rows["kind"], BY_KIND, left_out=left_out(missing))
    write_table(outputs["by_set"], rows["set"], BY_SET, left_out=left_out(missing))
    write_table(outputs["by_score"], rows["score"], BY_KIND, left_out=left_out(missing))
    bins = histogram(confidence, threshold, scores[0])
    write_table(outputs["histogram"], bins, HISTOGRAM)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_dar(
            scored_files(
                [*snakemake.input.scored, *snakemake.input.searched], snakemake.params.kinds
            ),
            snakemake.params.kinds,
            snakemake.params.scores,
            snakemake.params.options,
            snakemake.params.seed,
            dict(snakemake.output.items()),
        )
