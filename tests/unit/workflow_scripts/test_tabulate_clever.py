import math

import numpy as np
import pandas as pd
import pytest

from robusteval.records import Records, failed, write_records
from workflow_scripts.tabulate_clever import COLUMNS, MEAN, MEDIAN, rows, tabulate_clever

SCORES = [1.0, 2.0, 3.0, 6.0, 0.0]


@pytest.fixture
def cell(records):
    """Make the readings of five images, the last one misclassified."""

    def make(scores=SCORES, statuses=("ok", "ok", "fit failed", "ok", "misclassified"), **about):
        frame = records({("ball", 0): [0] * 5}).frame.drop(columns="prediction")
        about = {"norm": "l2", "target": "random"} | about
        costs = {"forwards": [11, 11, 11, 11, 1], "backwards": [10, 10, 10, 10, 0]}
        fails = [int(s == "fit failed") for s in statuses]
        frame = frame.assign(score=scores, failed_fits=fails, status=statuses, **costs, **about)
        return Records(frame, np.empty((5, 0), np.float32))

    return make


@pytest.fixture
def clean(records):
    return records({("clean", 0): [0, 0, 0, 0, 1, 1, 1, 0]})


def of(cell, clean):
    return list(rows({("m", "x"): cell}, {"m": clean}))


def test_scores_are_over_the_images_that_were_right(cell, clean):
    (row,) = of(cell(), clean)
    assert {key: row[key] for key in ("model", "test", "condition", "norm", "target")} == {
        "model": "m",
        "test": "x",
        "condition": "ball",
        "norm": "l2",
        "target": "random",
    }
    assert (row["n"], row["scored_right_before"]) == (5, 4)
    assert (row[MEAN], row[MEDIAN]) == (3.0, 2.5)
    assert 1 <= row["mean_bootstrap95_low"] < 3 < row["mean_bootstrap95_high"] <= 6
    assert 1 <= row["median_bootstrap95_low"] < 2.5 < row["median_bootstrap95_high"] <= 6
    assert row["largest_norm_for_failed_fit_pct"] == 25.0
    assert (row["clean_accuracy_pct"], row["clean_n"]) == (62.5, 8)
    assert (row["forwards_per_image"], row["backwards_per_image"]) == (9.0, 8.0)
    assert row["status"] == "ok" and row["infinite_scores"] == 0
    assert of(cell(), clean) == [row]


def test_each_norm_and_target_has_a_row(cell, clean):
    parts = [cell(norm=n, target=t).frame for n in ("l1", "l2") for t in ("random", "untargeted")]
    both = Records(pd.concat(parts, ignore_index=True), np.empty((20, 0), np.float32))
    found = [(row["norm"], row["target"], row["n"]) for row in of(both, clean)]
    assert found == [(n, t, 5) for n in ("l1", "l2") for t in ("random", "untargeted")]


def test_an_image_without_a_score_leaves_no_mean(cell, clean):
    statuses = ("ok", "gradients not finite", "ok", "ok", "misclassified")
    (row,) = of(cell([1.0, math.nan, 3.0, 6.0, 0.0], statuses), clean)
    assert row["status"] == "gradients not finite for 1 of 4 images"
    assert MEAN not in row and MEDIAN not in row


def test_an_infinite_score_is_counted_and_kept(cell, clean):
    statuses = ("ok", "no gradient", "ok", "ok", "misclassified")
    (row,) = of(cell([1.0, math.inf, 3.0, 6.0, 0.0], statuses), clean)
    assert (row[MEAN], row[MEDIAN], row["infinite_scores"]) == (math.inf, 4.5, 1)
    assert row["mean_bootstrap95_high"] == math.inf


def test_without_an_image_that_is_right_there_is_no_score(cell, clean):
    (row,) = of(cell([0.0] * 5, ("misclassified",) * 5), clean)
    assert (row["n"], row["scored_right_before"]) == (5, 0)
    assert row["status"] == "no image is right before" and MEAN not in row


def test_a_failed_cell_says_why(clean):
    (row,) = of(failed("logits are NaN", {}), clean)
    assert (row["n"], row["status"]) == (0, "logits are NaN")
    (row,) = of(failed("logits are NaN", {}), failed("NaN", {}))
    assert "clean_accuracy_pct" not in row


def test_the_table_has_the_promised_columns(cell, clean, tmp_path):
    write_records(tmp_path / "probes/m/x.parquet", cell())
    write_records(tmp_path / "records/m/clean.parquet", clean)
    tabulate_clever(
        [str(tmp_path / "probes/m/x.parquet")],
        [str(tmp_path / "records/m/clean.parquet")],
        str(tmp_path / "clever.csv"),
    )
    table = pd.read_csv(tmp_path / "clever.csv")
    assert list(table) == COLUMNS
    assert table[["model", "test", MEAN]].values.tolist() == [["m", "x", 3.0]]
