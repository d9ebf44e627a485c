import pandas as pd
import pytest

from robusteval.figures.framework_page import UNIFIED as DRAWN
from workflow_scripts import _twin_rows, _visible_rows
from workflow_scripts._behaviour import ACCURACY, EVERY, MEAN
from workflow_scripts._framework_metrics import METRICS, TABLES
from workflow_scripts.tabulate_framework import UNIFIED, rows

BOUNDARY = "distance_mean_scale_0_1_higher_better"
SIDE = "RMS, one-sided"
LOST = "not_measured"
VALUE = "value_mean_lower_better"


@pytest.fixture
def tables():
    neurons = {"metric": "neuron uncertainty", "layer": "mean over layers", "n": 5, "status": "ok"}
    return {
        "accuracy_by_test": pd.DataFrame(
            {"model": ["a", "b"], "test": "clean", "n": 100, "status": "ok"}
        ).assign(accuracy_pct_higher_better=[80.0, 60.0]),
        "boundary_distance": pd.DataFrame(
            [
                {
                    "model": "a",
                    "metric": "EBD",
                    "distance_is": SIDE,
                    "n": 4,
                    BOUNDARY: 0.2,
                    LOST: 1,
                },
                {"model": "b", "metric": "EBD", "distance_is": SIDE, "n": 4, BOUNDARY: 0.4},
                {"model": "b", "metric": "EBD-2", "n": 0, "status": "the logits have no gradient"},
            ]
        ).fillna({"status": "ok"}),
        "neurons": pd.DataFrame(
            [{**neurons, "model": m, VALUE: v} for m, v in (("a", 2.0), ("b", 1.0), ("c", 0.1))]
        ),
        "coverage": pd.DataFrame({"model": ["a"], "test": "clean", "n": 9, "status": "ok"}).assign(
            kmncov_pct_more_covered=50.0, nbcov_pct_more_covered=5.0, snacov_pct_more_covered=1.0
        ),
    }


@pytest.fixture
def found(tables):
    kin = {"a": "cnn", "b": "cnn", "c": "vit"}
    return {(r["model"], r["metric"]): r for r in rows(tables, ["a", "b", "c"], kin)}


def test_every_model_has_a_row_of_every_metric(found):
    assert len(found) == 3 * len(METRICS)
    assert all((row["n"] == 0) == ("value" not in row) for row in found.values())
    assert UNIFIED == DRAWN


def test_directions_are_one(found):
    assert found["a", "CA"]["value"] == found["a", "CA"][UNIFIED] == 0.8
    assert (found["a", "EBD"][UNIFIED], found["b", "EBD"][UNIFIED]) == (0.5, 1.0)
    assert (found["a", "uncertainty"][UNIFIED], found["b", "uncertainty"][UNIFIED]) == (0.5, 1.0)


def test_nothing_is_the_best_where_all_are_0(tables):
    tables["boundary_distance"][BOUNDARY] = 0.0
    kin = {"a": "cnn", "b": "cnn"}
    found = {(r["model"], r["metric"]): r for r in rows(tables, ["a", "b"], kin)}
    row = found["a", "EBD"]
    assert row["value"] == 0 and pd.isna(row[UNIFIED])
    assert row["status"] == "not on the scale: 0 of every model"


def test_n_is_of_the_images_in_the_mean(found):
    assert (found["a", "EBD"]["n"], found["b", "EBD"]["n"]) == (3, 4)
    twin = {"model": "a", "n": 9, "n_both_right": 7, "status": "ok", _twin_rows.COS: 0.1}
    twin |= dict.fromkeys((_twin_rows.CAV, _twin_rows.CRR, _twin_rows.CSR, _twin_rows.CCV), 5.0)
    visible = {"model": "a", "goal": "untargeted", "n": 6, "black_images_left_out": 2}
    visible |= {"status": "ok", _visible_rows.ASS: 0.5, _visible_rows.PSD: 4.0}
    visible[_visible_rows.SHARE["l2"]] = 0.2
    tables = {"twins": pd.DataFrame([twin]), "imperceptibility": pd.DataFrame([visible])}
    n = {r["metric"]: r["n"] for r in rows(tables, ["a"], {"a": "cnn"})}
    assert [n[name] for name in ("CAV", "CRR", "CSR", "CCV", "COS")] == [9, 9, 9, 7, 7]
    assert [n[name] for name in ("ALD2", "ASS", "PSD")] == [4, 6, 6]


def test_neurons_are_compared_within_an_architecture_only(found):
    row = found["c", "uncertainty"]
    assert row["value"] == 0.1 and pd.isna(row[UNIFIED])
    assert row["status"] == "not on the scale: no other model of its architecture"


def test_coverage_ranks_no_model(found):
    row = found["a", "KMNCov"]
    assert row["value"] == 0.5 and pd.isna(row[UNIFIED])
    assert row["status"] == "not on the scale: of the images, ranks no model"


def test_what_drops_out_says_why(found):
    assert found["b", "EBD-2"]["status"] == "the logits have no gradient"
    assert found["a", "EBD-2"]["status"] == "not measured of this model"
    assert found["a", "mCE"]["status"] == "not measured in this study"


@pytest.mark.parametrize(
    ("status", "value"), [("ok", 0.3), ("no success", 0.4), ("the logits are NaN", None)]
)
def test_no_mean_leaves_out_an_attack_that_failed(status, value):
    ass, psd = "ass_lower_more_visible", "psd_higher_more_visible"
    table = pd.DataFrame({"model": "a", "attack": ["near", "far"], "goal": "untargeted", "n": 5})
    table = table.assign(status=["ok", status], **{ass: [0.4, 0.2 if status == "ok" else None]})
    table = table.assign(ald_l2_of_image_higher_more_visible=None, **{psd: None})
    table["black_images_left_out"] = 0
    (row,) = (
        r for r in rows({"imperceptibility": table}, ["a"], {"a": "cnn"}) if r["metric"] == "ASS"
    )
    assert row.get("value") == value
    assert row["status"] == ("ok" if value else "the logits are NaN")


def test_no_mean_leaves_out_a_cell_that_failed_before_its_conditions():
    cell = {"model": "a", "access": "white box", "n": 5, "status": "ok"}
    acac = {"acac_pct_of_successes_lower_better": 50.0, "successes_of_right_before": 3}
    table = pd.DataFrame(
        [
            {**cell, "attack": "near", "goal": "untargeted", **acac, ACCURACY: 20.0},
            {**cell, "attack": "far", "n": 0, "status": "no gradient"},
            {**cell, "attack": EVERY, "goal": "untargeted", "n": 0, "status": "far: no gradient"},
            {**cell, "access": "black box", "attack": MEAN, "goal": "untargeted", ACCURACY: 40.0},
        ]
    ).assign(actc_pct_of_successes_higher_better=None, nte_pct_of_successes_lower_better=None)
    found = {r["metric"]: r for r in rows({"behaviour": table}, ["a"], {"a": "cnn"})}
    assert found["ACAC"]["status"] == "no gradient" and "value" not in found["ACAC"]
    assert found["AAW, mean"]["status"] == "no gradient"
    assert found["AAW, every setting"]["status"] == "far: no gradient"
    assert found["AAB, mean"]["value"] == 0.4


def test_the_tables_are_those_of_the_rules():
    assert set(TABLES) == {
        "accuracy_by_test", "behaviour", "boundary_distance", "coverage", "imperceptibility",
        "mean_corruption_error", "mean_flip_rate", "neurons", "noise_insensitivity", "twins",
    }  # fmt: skip
