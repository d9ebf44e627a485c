"""Tabulate what a model's confidence is worth on known classes: calibration and rejection."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.adaptive_calibration_error import adaptive_calibration_error
from robusteval.metrics.augrc import augrc
from robusteval.metrics.aurc import aurc
from robusteval.metrics.ece import ece
from robusteval.records import OK
from workflow_scripts._scores import PROBABILITY, Cells, bare, parts, read_models, with_score
from workflow_scripts._tables import left_out, percent, rate_with_interval, write_table

BINS = 15
ACCURACY = "accuracy_pct_higher_better"
INTERVAL = ["wilson95_low_pct", "wilson95_high_pct"]
AURC, AUGRC = "aurc_pct_lower_better", "augrc_pct_lower_better"
ECE = f"ece_pct_{BINS}_equal_widths_lower_better"
ACE = f"ace_pct_{BINS}_equal_masses_of_predicted_class_lower_better"
SETS = ["model", "test", "condition", "severity", "sets", "n", ACCURACY, *INTERVAL]
SELECTIVE = [*SETS[:4], "score", *SETS[4:], AURC, AUGRC, "status"]
CALIBRATION = [*SETS, "mean_confidence_pct", ECE, ACE, "status"]
FEW = f"ACE needs {BINS} images"
MEAN = "mean"


def selective(frame: pd.DataFrame, score: str, status: str = OK) -> dict[str, Any]:
    """Return the error among the images that a score accepts, over how many, as columns.

    Of a model without that score, it is the ``status`` that says so.
    """
    if status != OK:
        return {"score": score, "status": status}
    correct = (frame["prediction"] == frame["label"]).to_numpy()
    values = frame[score].to_numpy()
    return {
        "score": score,
        AURC: percent(aurc(values, correct)),
        AUGRC: percent(augrc(values, correct)),
        "status": OK,
    }


def calibration(frame: pd.DataFrame) -> dict[str, Any]:
    """Return how far the probability of the predicted class is from its accuracy, as columns."""
    correct = (frame["prediction"] == frame["label"]).to_numpy()
    probability = np.exp(frame[PROBABILITY].to_numpy())
    found = {
        "mean_confidence_pct": percent(float(probability.mean())),
        ECE: percent(ece(probability, correct, bins=BINS)),
    }
    if len(frame) < BINS:
        return {**found, "status": FEW}
    value = adaptive_calibration_error(probability, correct, bins=BINS)
    return {**found, ACE: percent(value), "status": OK}


def rows(
    model: str, cells: Cells, scores: list[str]
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield for each image set its calibration and, a row a score, its rejection."""
    for test, records in cells.items():
        row = {"model": model, "test": test}
        if records.status != OK:
            broken = {**row, "n": 0, "status": records.status}
            yield broken, [{**broken, "score": score} for score in scores]
        asked = [(score, with_score(records, score).status) for score in scores]
        for condition, severity, frame in parts(records):
            n = len(frame)
            rate = accuracy(frame["label"].to_numpy(), frame["prediction"].to_numpy())
            row |= {"condition": condition, "severity": severity, "sets": 1, "n": n}
            row |= rate_with_interval(rate, n, ACCURACY)
            yield row | calibration(frame), [row | selective(frame, *of) for of in asked]


def with_means(rows: list[dict[str, Any]], columns: list[str]) -> list[dict[str, Any]]:
    """Return ``rows`` and, for each test of several image sets, their unweighted mean behind them.

    A mean has no interval, and is empty where one of its sets has no value.
    """
    if not rows:
        return rows
    frame = pd.DataFrame(rows, columns=columns)
    keys = ["model", "test", *(["score"] if "score" in columns else [])]
    values = [name for name in columns if "_pct" in name and name not in INTERVAL]
    found: list[dict[str, Any]] = []
    for _, own in frame.groupby(keys, sort=False):
        found += [rows[i] for i in own.index]
        if len(own) > 1:
            means = {v: round(float(own[v].mean()), 2) for v in values if own[v].notna().all()}
            bad = own.loc[own["status"] != OK, "status"]
            about = own.iloc[0][keys].to_dict() | {"condition": MEAN, "severity": ""}
            status = bad.iloc[0] if len(bad) else OK
            found.append(
                {**about, "sets": len(own), "n": int(own["n"].sum()), **means, "status": status}
            )
    return found


def tabulate_selective(paths: list[str], scores: list[str], outputs: dict[str, str]) -> None:
    """Write both tables: images of known classes, set by set and in the mean."""
    calibrated: list[dict[str, Any]] = []
    rejected: list[dict[str, Any]] = []
    missing = []
    for model, cells in read_models(paths):
        missing += [bare(records) for records in cells.values()]
        for one, several in rows(model, cells, scores):
            calibrated.append(one)
            rejected += several
    said = left_out(missing)
    for name, found, columns in (
        ("calibration", calibrated, CALIBRATION),
        ("selective", rejected, SELECTIVE),
    ):
        write_table(outputs[name], with_means(found, columns), columns, left_out=said)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_selective(
            [*snakemake.input.scored, *snakemake.input.searched],
            snakemake.params.scores,
            dict(snakemake.output.items()),
        )
