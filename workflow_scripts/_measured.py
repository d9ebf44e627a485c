"""The numbers in a study's tables, in the words of published ones."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from robusteval.published.measured import Measured
from workflow_scripts import tabulate_accuracy, tabulate_corruption_error

ACCURACY = tabulate_accuracy.VALUE
ERROR = tabulate_corruption_error.VALUE
MEAN_ERROR = "mean_error_pct_lower_better"
RATIOS = {"mce": "mce_pct_lower_better", "relative_mce": "relative_mce_pct_lower_better"}
FLIPS = {"mfr": "mfr_pct_lower_better", "mt5d": "mt5d_pct_lower_better"}
DETECTION = {
    "auroc": "auroc_pct_unknown_positive_higher_better",
    "fpr95": "fpr_pct_at_95_tpr_known_positive_lower_better",
}
SEVERITIES = 5
WORST = "worst attack, "
Tests = Mapping[str, Mapping[str, Any]]
"""A study's tests and their entries in the catalogue."""


def measured(paths: list[str], tests: Tests, images: str) -> list[Measured]:
    """Return what the tables at ``paths`` say; a table is known by its file's name.

    ``images`` is the id of the study's images. Rows of broken cells are left out.
    """
    readers = {
        "accuracy": _accuracy,
        "accuracy_by_test": _attacked,
        "corruption_error": _corrupted,
        "mean_corruption_error": _mean_corruption,
        "flip_rate": _flips,
        "mean_flip_rate": _mean_flips,
        "detection": _detection,
    }
    found: list[Measured] = []
    for path in paths:
        if reader := readers.get(Path(path).stem):
            frame = pd.read_csv(path)
            found += reader(frame[frame["status"] == "ok"], tests, images)
    return found


def _accuracy(frame: pd.DataFrame, tests: Tests, images: str) -> Iterator[Measured]:
    """Yield accuracy and error on clean, shifted and corrupted images, by severity.

    A set that shows some of the classes is published among those.
    """
    if "classes" in frame:
        among = frame["classes"].astype(str).str.contains(" of ")
        cell = [frame[key] for key in ("model", "test", "condition", "severity")]
        frame = frame[among | ~among.groupby(cell).transform("any")]
    for row in frame.to_dict("records"):
        kind = tests[row["test"]]["kind"]
        where = {
            "clean": (images, ""),
            "shifted": (row["condition"], ""),
            "corrupt": (
                tests[row["test"]].get("family", row["test"]),
                f"{row['condition']} {row['severity']}",
            ),
        }.get(kind)
        if where:
            yield from _both(row, *where, row[ACCURACY], built=_built(row, tests))


def _attacked(frame: pd.DataFrame, tests: Tests, images: str) -> Iterator[Measured]:
    """Yield accuracy under each budget of the attacks: the worst of them, if there are several."""
    attacks = [test for test, entry in tests.items() if entry["kind"] == "adversarial"]
    for model, rows in frame.groupby("model", sort=False):
        budgets: dict[str, dict[str, Any]] = {}
        for row in rows.to_dict("records"):
            test, _, budget = row["test"].partition(", ")
            if test in attacks or row["test"].startswith(WORST):
                budgets[budget] = row  # the worst of several stands behind them
        for budget, row in budgets.items():
            interval = row["low95_pct"], row["high95_pct"]
            said = "robust_accuracy", model, images, budget, row[ACCURACY], int(row["n"])
            yield Measured(*said, *interval)


def _corrupted(frame: pd.DataFrame, tests: Tests, images: str) -> Iterator[Measured]:
    """Yield the mean over all five severities of each corruption."""
    keys = ["model", "test", "corruption"]
    for (model, test, corruption), rows in frame.groupby(keys, sort=False):
        if len(rows) == SEVERITIES:
            row = {"model": model, "n": rows["n"].min(), "test": test}
            family = tests[test].get("family", test)
            value = 100 - rows[ERROR].mean()
            yield from _both(row, family, corruption, value, built=_built(row, tests))


def _mean_corruption(frame: pd.DataFrame, tests: Tests, images: str) -> Iterator[Measured]:
    """Yield mean accuracy, mCE and relative mCE of whole parts, against the named baseline."""
    for row in frame.to_dict("records"):
        if row["corruptions"] != row.get("corruptions_published", row["corruptions"]):
            continue
        said = {"n": int(row["n_per_cell"]), "built": _built(row, tests)}
        family, part = tests[row["test"]].get("family", row["test"]), row.get("part", "fifteen")
        error, low, high = row[MEAN_ERROR], row["normal95_low_pct"], row["normal95_high_pct"]
        accuracy = 100 - error
        yield Measured(
            "accuracy", row["model"], family, part, accuracy, low=100 - high, high=100 - low, **said
        )
        condition = f"{part}, baseline {row['baseline']}"
        for what, column in RATIOS.items():
            if pd.notna(row[column]) and row.get("corruptions_in_mce", 0) == row["corruptions"]:
                # The ratio moves as its numerator does, the published baseline being fixed.
                ratio = row[column] / error if error else 0.0
                ends = [row[column] + ratio * (end - error) for end in (low, high)]
                values = row["model"], family, condition, row[column]
                yield Measured(what, *values, low=ends[0], high=ends[1], **said)


def _flips(frame: pd.DataFrame, tests: Tests, images: str) -> Iterator[Measured]:
    for row in frame.to_dict("records"):
        value, interval = row["flip_probability_pct_lower_better"], _interval(row)
        said = row["model"], row["family"], row["kind"], value, int(row["n"])
        yield Measured("flip_probability", *said, *interval)


def _mean_flips(frame: pd.DataFrame, tests: Tests, images: str) -> Iterator[Measured]:
    for row in frame.to_dict("records"):
        baseline = str(row["baseline"]).removesuffix(" (published)")
        condition = f"{row['part']}, baseline {baseline}"
        mean = row["mean_flip_probability_pct_lower_better"]
        for what, column in FLIPS.items():
            if pd.notna(row[column]) and row["kinds"] == row["kinds_of_part"]:
                ends = [row[column] * end / mean if mean else None for end in _interval(row)]
                said = row["model"], row["family"], condition, row[column], int(row["n_per_kind"])
                yield Measured(what, *said, *ends)


def _detection(frame: pd.DataFrame, tests: Tests, images: str) -> Iterator[Measured]:
    for row in frame.to_dict("records"):
        condition = f"{row['unknown']}, {row['score']}"
        for what, column in DETECTION.items():
            if column in row and pd.notna(row[column]):
                n = int(row["n_known"])
                yield Measured(what, row["model"], images, condition, row[column], n)


def _both(
    row: Mapping[str, Any], test: str, condition: str, accuracy: float, *, built: bool
) -> Iterator[Measured]:
    """Yield an accuracy, and the error that is its complement."""
    for what, value in (("accuracy", accuracy), ("error", 100 - accuracy)):
        yield Measured(what, str(row["model"]), test, condition, value, int(row["n"]), built=built)


def _built(row: Mapping[str, Any], tests: Tests) -> bool:
    return tests[row["test"]].get("source") == "built"


def _interval(row: Mapping[str, Any]) -> tuple[float, float]:
    return row["normal95_low_pct"], row["normal95_high_pct"]
