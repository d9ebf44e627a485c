"""The framework's metrics, each read from the table that has it: value, direction, scale."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from workflow_scripts import _twin_rows, _visible_rows
from workflow_scripts._behaviour import ACCURACY, CONFIDENCES, EVERY, MEAN, WORST
from workflow_scripts._neuron_rows import LAYERS, VALUE
from workflow_scripts._visible_rows import NO_SUCCESS

HIGHER, LOWER, NONE = "higher is better", "lower is better", "neither is better"
SHARE, REST, LARGEST, SMALLEST = "value", "1 - value", "value / largest", "smallest / value"
KIN = "smallest / value, of one architecture"
UNRANKED = "not on a scale"

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Metric:
    """Where a metric stands: rows of a ``table`` with the values ``where``, in a ``column``.

    Several rows of a model are averaged. ``divisor`` brings the number to the unit it is shown in,
    ``scale`` says how it becomes one from 0 to 1 of which larger is better. The number of images
    stands in the column ``n``, that of those among them that are in no mean in ``left_out``.
    """

    view: str
    group: str
    name: str
    table: str
    column: str
    better: str
    scale: str
    where: Mapping[str, object]
    divisor: float = 100
    n: str = "n"
    left_out: str = ""


def _data(name: str, column: str, better: str, scale: str, left_out: str = "") -> Metric:
    where = {"goal": "untargeted"}
    group, table = "visibility of attacks", "imperceptibility"
    return Metric("data", group, name, table, column, better, scale, where, 1, left_out=left_out)


def _coverage(name: str) -> Metric:
    column = f"{name.lower()}_pct_more_covered"
    where = {"test": "clean"}
    return Metric("data", "coverage", name, "coverage", column, NONE, UNRANKED, where)


def _attacked(name: str, access: str, attack: str) -> Metric:
    where = {"access": access, "attack": attack}
    return Metric("behaviour", access, name, "behaviour", ACCURACY, HIGHER, SHARE, where)


def _confidence(name: str, better: str, scale: str, divisor: float = 100) -> Metric:
    column, n = CONFIDENCES[name.lower()], "successes_of_right_before"
    where = {"goal": "untargeted"}
    return Metric(
        "behaviour", "confidence", name, "behaviour", column, better, scale, where, divisor, n
    )


def _errors(name: str, column: str, scale: str) -> Metric:
    table = "mean_corruption_error"
    where = {"part": "fifteen"}
    return Metric(
        "behaviour", "corruption", name, table, column, LOWER, scale, where, n="n_per_cell"
    )


def _flips(name: str, column: str, scale: str) -> Metric:
    table = "mean_flip_rate"
    where = {"part": "ten"}
    return Metric("behaviour", "flips", name, table, column, LOWER, scale, where, n="n_per_kind")


def _twin(
    name: str, column: str, better: str, scale: str, divisor: float = 100, n: str = "n"
) -> Metric:
    return Metric("behaviour", "defence", name, "twins", column, better, scale, {}, divisor, n)


def _structure(
    group: str, name: str, table: str, column: str, scale: str, where: Mapping[str, object]
) -> Metric:
    better = HIGHER if scale == LARGEST else LOWER
    left_out = "not_measured" if table == "boundary_distance" else ""
    return Metric(
        "structure", group, name, table, column, better, scale, where, 1, left_out=left_out
    )


DISTANCE = "distance_mean_scale_0_1_higher_better"
METRICS = (
    _coverage("KMNCov"),
    _coverage("NBCov"),
    _coverage("SNACov"),
    _data("ALD2", _visible_rows.SHARE["l2"], HIGHER, LARGEST, "black_images_left_out"),
    _data("ASS", _visible_rows.ASS, LOWER, REST),
    _data("PSD", _visible_rows.PSD, HIGHER, LARGEST),
    Metric(
        "behaviour",
        "task",
        "CA",
        "accuracy_by_test",
        "accuracy_pct_higher_better",
        HIGHER,
        SHARE,
        {"test": "clean"},
    ),
    _attacked("AAW, mean", "white box", MEAN),
    _attacked("AAW, worst setting", "white box", WORST),
    _attacked("AAW, every setting", "white box", EVERY),
    _attacked("AAB, mean", "black box", MEAN),
    _attacked("AAB, worst setting", "black box", WORST),
    _attacked("AAB, every setting", "black box", EVERY),
    _confidence("ACAC", LOWER, REST),
    _confidence("ACTC", HIGHER, SHARE),
    _confidence("NTE", LOWER, REST),
    _errors("mean error", "mean_error_pct_lower_better", REST),
    _errors("mCE", "mce_pct_lower_better", SMALLEST),
    _errors("RmCE", "relative_mce_pct_lower_better", UNRANKED),
    _flips("mean flips", "mean_flip_probability_pct_lower_better", REST),
    _flips("mFR", "mfr_pct_lower_better", SMALLEST),
    _twin("CAV", _twin_rows.CAV, HIGHER, "(1 + value) / 2"),
    _twin("CRR", _twin_rows.CRR, HIGHER, SHARE),
    _twin("CSR", _twin_rows.CSR, LOWER, REST),
    _twin("CCV", _twin_rows.CCV, LOWER, REST, n="n_both_right"),
    _twin("COS", _twin_rows.COS, LOWER, "1 - value / ln 2", 1, "n_both_right"),
    _structure(
        "boundary",
        "EBD",
        "boundary_distance",
        DISTANCE,
        LARGEST,
        {"metric": "EBD", "distance_is": "RMS, one-sided"},
    ),
    _structure(
        "boundary",
        "EBD-2",
        "boundary_distance",
        DISTANCE,
        LARGEST,
        {"metric": "EBD-2", "distance_is": "L-infinity, to any class"},
    ),
    _structure(
        "noise",
        "ENI",
        "noise_insensitivity",
        "insensitivity_mean_nats_per_unit_lower_better",
        SMALLEST,
        {"noise": "all noises"},
    ),
    _structure(
        "neurons",
        "sensitivity",
        "neurons",
        VALUE,
        KIN,
        {"metric": "neuron sensitivity", "layer": LAYERS},
    ),
    _structure(
        "neurons",
        "uncertainty",
        "neurons",
        VALUE,
        KIN,
        {"metric": "neuron uncertainty", "layer": LAYERS},
    ),
)
TABLES = tuple(dict.fromkeys(metric.table for metric in METRICS))


def value_of(metric: Metric, table: pd.DataFrame | None, model: str) -> tuple[float, int, str]:
    """Return a model's value, the number of images behind it, and "ok" or why there is none."""
    if table is None:
        return np.nan, 0, "not measured in this study"
    rows = table[table["model"] == model]
    if rows.empty and metric.table == "twins":
        return np.nan, 0, "has no undefended twin in this study"
    # Those over all settings have no row of their own where one of these failed.
    about = {key: value for key, value in metric.where.items() if key != "attack"}
    lost = _lost(rows, metric.where, metric.column)
    mine = _rows_of(rows, metric.where)
    if mine.empty:
        lost = _lost(rows, about, metric.column)
    if lost:
        return np.nan, 0, lost
    given = mine[mine[metric.column].notna()]
    if given.empty:
        known = "no value" if len(mine) else "not measured of this model"
        return np.nan, 0, NO_SUCCESS if NO_SUCCESS in set(mine["status"]) else known
    counts = given[metric.n] if metric.n in given else pd.Series([0])
    if metric.left_out:
        counts = counts - given[metric.left_out].fillna(0)
    of_successes = metric.group in ("confidence", "visibility of attacks")
    n = int(counts.sum() if of_successes else counts.min())
    return float(given[metric.column].mean()) / metric.divisor, n, "ok"


def _rows_of(rows: pd.DataFrame, where: Mapping[str, object], *, unsaid: bool = False) -> Any:
    """Return the rows with the values ``where``; those that do not say, too, if ``unsaid``."""
    for column, value in where.items():
        same = rows[column] == value
        rows = rows[same | rows[column].isna()] if unsaid else rows[same]
    return rows


def _lost(rows: pd.DataFrame, where: Mapping[str, object], column: str) -> str:
    """Return why a value is missing among those that a metric is the mean of, "" if none is.

    A cell that failed as a whole has a row that says why and may name no condition; a mean over the
    others would be of another set of conditions than that of other models.
    """
    possible = _rows_of(rows, where, unsaid=True)
    failed = possible[possible[column].isna() & ~possible["status"].isin(["ok", NO_SUCCESS])]
    return "" if failed.empty else str(failed["status"].iloc[0])


def unified(
    metric: Metric, value: float, of_study: Iterable[float], of_kin: Iterable[float]
) -> tuple[float, str]:
    """Return a number from 0 to 1 of which larger is better, and "ok" or why there is none.

    ``of_study`` are the values of all models, ``of_kin`` of those of the model's architecture.
    """
    study = [v for v in of_study if not np.isnan(v)]
    kin = [v for v in of_kin if not np.isnan(v)]
    if metric.scale == UNRANKED:
        why = "of the images, ranks no model" if metric.view == "data" else "may be negative"
        return np.nan, why
    if metric.scale == KIN:
        if len(kin) < 2:
            return np.nan, "no other model of its architecture"
        return _ratio(min(kin), value), "ok"
    if metric.scale == LARGEST and not max(study):
        return np.nan, "0 of every model"
    scales = {
        SHARE: value,
        REST: 1 - value,
        "(1 + value) / 2": (1 + value) / 2,
        "1 - value / ln 2": 1 - value / np.log(2),
        LARGEST: _ratio(value, max(study)),
        SMALLEST: _ratio(min(study), value),
    }
    return float(np.clip(scales[metric.scale], 0, 1)), "ok"


def _ratio(smaller: float, larger: float) -> float:
    return smaller / larger if larger else 1.0
