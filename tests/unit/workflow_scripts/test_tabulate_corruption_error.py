import math

import pandas as pd
import pytest

from robusteval.records import failed, write_records
from workflow_scripts.tabulate_corruption_error import (
    VALUE,
    by_severity,
    means,
    tabulate_corruption_error,
)

MCE, RELATIVE = "mce_pct_lower_better", "relative_mce_pct_lower_better"
MEAN = "mean_error_pct_lower_better"
WRONG = {0.0: [0, 0, 0, 0], 0.25: [1, 0, 0, 0], 0.5: [0, 1, 1, 0], 0.75: [0, 1, 1, 1]}


@pytest.fixture
def corrupt(records):
    """Make records of four images with the errors of fog and of snow at two severities."""

    def make(fog, snow):
        said = {("fog", s): WRONG[e] for s, e in enumerate(fog, 1)}
        said |= {("snow", s): WRONG[e] for s, e in enumerate(snow, 1)}
        return records(said)

    return make


@pytest.fixture
def clean(records):
    """Make records of those four images with an error, and of two others that are wrong."""
    return lambda error: records({("clean", 0): [1, *WRONG[error], 1]}, ids=[1, 10, 11, 12, 13, 2])


def row_of(model, cells, clean_cells):
    return {row["model"]: row for row in means(cells, clean_cells, "base")}[model]


@pytest.fixture
def cells(corrupt):
    return {
        ("base", "c"): corrupt([0.25, 0.75], [0.25, 0.25]),
        ("m", "c"): corrupt([0.75, 0.5], [0.25, 0.5]),
    }


def test_errors_by_severity(corrupt):
    rows = list(by_severity({("m", "c"): corrupt([0.25, 0.75], [0.0, 0.5])}))
    assert [(r["corruption"], r["severity"], r[VALUE]) for r in rows] == [
        ("fog", 1, 25.0),
        ("fog", 2, 75.0),
        ("snow", 1, 0.0),
        ("snow", 2, 50.0),
    ]
    # Wilson's interval of 2 wrong of 4: 0.5 +- 0.34996.
    assert (rows[3]["wilson95_low_pct"], rows[3]["wilson95_high_pct"]) == (15.0, 85.0)
    assert {(r["model"], r["test"], r["n"], r["status"]) for r in rows} == {("m", "c", 4, "ok")}


def test_a_failed_cell_has_a_row_without_errors():
    cells = {("m", "c"): failed("NaN", {}), ("base", "c"): failed("NaN", {})}
    assert next(iter(by_severity(cells))) == {"model": "m", "test": "c", "n": 0, "status": "NaN"}
    row = row_of("m", cells, {})
    assert row == {"model": "m", "test": "c", "baseline": "base", "n_per_cell": 0, "status": "NaN"}


def test_means_against_the_baseline(cells, clean):
    clean_cells = {"base": clean(0.0), "m": clean(0.25)}
    row = row_of("m", cells, clean_cells)
    assert (row["corruptions"], row["severities"], row["n_per_cell"]) == (2, 2, 4)
    assert row[MEAN] == 50.0  # (0.75 + 0.5 + 0.25 + 0.5) / 4
    assert row[MCE] == 137.5  # fog 1.25 / 1, snow 0.75 / 0.5, and not the ratio of sums, 2 / 1.5
    assert row[RELATIVE] == 62.5  # fog (1.25 - 0.5) / 1, snow (0.75 - 0.5) / 0.5
    assert row["status"] == "ok"
    own = row_of("base", cells, clean_cells)
    assert (own[MEAN], own[MCE], own[RELATIVE]) == (37.5, 100.0, 100.0)


def test_a_failed_baseline_leaves_the_mean_error(cells, clean):
    reasons = (
        ({**cells, ("base", "c"): failed("NaN", {})}, {"base": clean(0.0), "m": clean(0.25)}),
        (cells, {"base": failed("NaN", {}), "m": clean(0.25)}),
    )
    for changed, clean_cells in reasons:
        row = row_of("m", changed, clean_cells)
        assert row["status"] == "baseline base: NaN"
        assert row[MEAN] == 50.0
        assert MCE not in row and RELATIVE not in row


def test_a_corruption_that_costs_the_baseline_nothing_has_no_relative_mce(cells, clean):
    # The baseline's error in snow is 0.25 at both severities, as it is without.
    row = row_of("m", cells, {"base": clean(0.25), "m": clean(0.25)})
    assert math.isnan(row[RELATIVE])
    assert row[MCE] == 137.5


def test_a_baseline_without_errors_has_no_mce(cells, corrupt, clean):
    changed = {**cells, ("base", "c"): corrupt([0.25, 0.25], [0.0, 0.0])}
    row = row_of("m", changed, {"base": clean(0.0), "m": clean(0.0)})
    assert math.isnan(row[MCE]) and math.isnan(row[RELATIVE])
    assert row[MEAN] == 50.0


def test_both_tables_are_written(cells, clean, tmp_path):
    paths = {"records": [], "clean": []}
    for (model, _), r in cells.items():
        paths["records"].append(str(tmp_path / f"{model}/c.parquet"))
        write_records(paths["records"][-1], r)
        paths["clean"].append(str(tmp_path / f"{model}/clean.parquet"))
        write_records(paths["clean"][-1], clean(0.0))
    errors, mean = tmp_path / "errors.csv", tmp_path / "mean.csv"
    tabulate_corruption_error(paths["records"], paths["clean"], "base", str(errors), str(mean))
    assert pd.read_csv(errors)[VALUE].tolist() == [25.0, 75.0, 25.0, 25.0, 75.0, 50.0, 25.0, 50.0]
    assert pd.read_csv(mean).set_index("model")[MCE].to_dict() == {"base": 100.0, "m": 137.5}
