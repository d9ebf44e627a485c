"""Tabulate DAR, the share of right decisions of a model that may reject, and what it rests on."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from robusteval.metrics.acceptance_threshold import acceptance_threshold
from robusteval.metrics.dar import dar
from robusteval.records import OK, Records
from robusteval.scores.max_softmax import max_softmax
from workflow_scripts._tables import (
    Cells,
    left_out,
    own,
    percent,
    rate_with_interval,
    read_cells,
    read_transfers,
    write_table,
)

KINDS = ("clean", "corrupt", "adversarial", "novel", "unrecognisable")
VALUE = "dar_pct_higher_better"
OPTIONS = ["score", "calibration", "mask", "target_rate", "rejected_mistake"]
BY_KIND = ["model", "kind", "sets", "n", VALUE, *OPTIONS, "status"]
BY_SET = ["model", "kind", "test", "condition", "severity", "n", VALUE]
BY_SET += ["wilson95_low_pct", "wilson95_high_pct", *OPTIONS, "status"]
BINS = np.linspace(0, 1, 41)
HISTOGRAM = ["model", "kind", "bin_low", "bin_high", "count", "threshold"]


def thresholds(clean: dict[str, Records], options: dict[str, Any]) -> dict[str, float]:
    """Return each model's threshold on its clean images; NaN where there is none to be had."""
    found = {}
    for model, records in clean.items():
        found[model] = float("nan")
        if records.status == OK:
            correct = (records.frame["prediction"] == records.frame["label"]).to_numpy()
            if correct.any():
                found[model] = acceptance_threshold(
                    max_softmax(records.logits),
                    correct,
                    target_rate=options["target_rate"],
                    mask=options["mask"],
                )
    return found


def by_set(
    cells: Cells, kinds: dict[str, str], threshold: dict[str, float], options: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and image set: a condition and severity of a test."""
    for (model, test), records in cells.items():
        row = {"model": model, "kind": kinds[test], "test": test, "score": "max_softmax", **options}
        if records.status != OK or np.isnan(threshold[model]):
            reason = "no clean image is right" if records.status == OK else records.status
            yield {**row, "n": 0, "status": reason}
            continue
        score = max_softmax(records.logits)
        for (condition, severity), part in records.frame.groupby(
            ["condition", "severity"], sort=False
        ):
            value = dar(
                score[part.index],
                part["label"].to_numpy(),
                part["prediction"].to_numpy(),
                threshold[model],
                rejected_mistake=options["rejected_mistake"],
            )
            n = len(part)
            yield {
                **row,
                "condition": condition,
                "severity": severity,
                "n": n,
                **rate_with_interval(value, n, VALUE),
                "status": OK,
                "_dar": value,
            }


def by_kind(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and kind, and one for the mean of the kinds.

    Image sets weigh the same within a kind, and kinds within the mean. A kind with a set that is
    missing has no value, nor has a mean without that kind.
    """
    for model in dict.fromkeys(row["model"] for row in rows):
        values = {}
        for kind in KINDS:
            sets = [r for r in rows if r["model"] == model and r["kind"] == kind]
            if not sets:
                continue
            row = {"model": model, "kind": kind, "sets": len(sets)}
            row |= {option: sets[0][option] for option in OPTIONS}
            if bad := [r["status"] for r in sets if r["status"] != OK]:
                values[kind] = float("nan")
                yield {**row, "n": 0, "status": bad[0]}
                continue
            values[kind] = float(np.mean([r["_dar"] for r in sets]))
            n = sum(r["n"] for r in sets)
            yield {**row, "n": n, VALUE: percent(values[kind]), "status": OK}
        mean = {**row, "kind": "mean", "sets": len(values)}
        if np.isnan(list(values.values())).any():
            yield {**mean, "n": 0, "status": "a kind is missing"}
        else:
            n = sum(r["n"] for r in rows if r["model"] == model)
            value = percent(float(np.mean(list(values.values()))))
            yield {**mean, "n": n, VALUE: value, "status": OK}


def histogram(
    cells: Cells, kinds: dict[str, str], threshold: dict[str, float]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, kind and bin of the maximum softmax probability."""
    for model in dict.fromkeys(model for model, _ in cells):
        for kind in KINDS:
            own_cells = [r for (m, t), r in cells.items() if m == model and kinds[t] == kind]
            if not own_cells or any(r.status != OK for r in own_cells):
                continue
            confidence = np.exp(np.concatenate([max_softmax(r.logits) for r in own_cells]))
            counts, _ = np.histogram(confidence, BINS)
            for low, high, count in zip(BINS[:-1], BINS[1:], counts, strict=True):
                yield {
                    "model": model,
                    "kind": kind,
                    "bin_low": round(low, 3),
                    "bin_high": round(high, 3),
                    "count": count,
                    "threshold": round(float(np.exp(threshold[model])), 6),
                }


def tabulate_dar(
    records: list[str],
    transfers: list[str],
    kinds: dict[str, str],
    options: dict[str, Any],
    outputs: dict[str, str],
) -> None:
    """Write DAR by kind and by image set, and the histograms of the confidence behind it."""
    cells = read_cells(records)
    clean = {model: r for (model, test), r in cells.items() if kinds[test] == "clean"}
    cells |= {key: own(r, key[0]) for key, r in read_transfers(transfers).items()}
    threshold, missing = thresholds(clean, options), left_out(cells.values())
    rows = list(by_set(cells, kinds, threshold, options))
    write_table(outputs["by_kind"], by_kind(rows), BY_KIND, left_out=missing)
    plain = ({key: v for key, v in row.items() if key != "_dar"} for row in rows)
    write_table(outputs["by_set"], plain, BY_SET, left_out=missing)
    write_table(outputs["histogram"], histogram(cells, kinds, threshold), HISTOGRAM)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_dar(
            list(snakemake.input.records),
            list(snakemake.input.transfers),
            snakemake.params.kinds,
            snakemake.params.options,
            dict(snakemake.output.items()),
        )
