import pandas as pd
import pytest

from robusteval.figures.framework_page import UNIFIED as DRAWN
from workflow_scripts._framework_metrics import METRICS, TABLES
from workflow_scripts.tabulate_framework import UNIFIED, rows

BOUNDARY = "distance_mean_scale_0_1_higher_better"
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
                {"model": "a", "distance_is": "RMS, one-sided", "n": 4, BOUNDARY: 0.2},
                {"model": "b", "distance_is": "RMS, one-sided", "n": 4, BOUNDARY: 0.4},
                {"model": "b", "n": 0, "status": "the logits have no gradient"},
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


def test_the_tables_are_those_of_the_rules():
    assert set(TABLES) == {
        "accuracy_by_test", "behaviour", "boundary_distance", "coverage", "imperceptibility",
        "mean_corruption_error", "mean_flip_rate", "neurons", "noise_insensitivity", "twins",
    }  # fmt: skip
