"""Generators side by side, by hand."""

import numpy as np
import pandas as pd
import pytest

from robusteval.images._image_set import index_of
from robusteval.records import Records, failed
from workflow_scripts.tabulate_fmr_differences import columns, rows

IDS = 10 + np.arange(10)
STEP = ["step", {"budget": 5, "step_size": 0.1}]


def searched(valid, right, n=10, conditions=(STEP,)):
    """Return records of a search of ``valid`` images, some ``right``; all originals are right."""
    parts = []
    for condition in ("original", "round trip", *(label for label, _ in conditions)):
        said = np.zeros(n) if condition in ("original", "round trip") else 1 - np.array(right)[:n]
        part = index_of(IDS[:n], np.zeros(n, int), condition).assign(prediction=said.astype(int))
        parts.append(part.assign(valid=np.array(valid, bool)[:n], steps=3, tries=4))
    frame = pd.concat(parts, ignore_index=True)
    about = {"conditions": [list(c) for c in conditions], "kept": {}}
    return Records(frame, np.zeros((len(frame), 2), np.float32), settings=about)


@pytest.fixture
def checks():
    """Two tests of another generator, one of another oracle as well."""
    about = {"fine": ("g", "o"), "coarse": ("h", "o"), "strict": ("h", "p")}
    return {
        test: Records(pd.DataFrame(), np.zeros((0, 2)), settings={
            "generator": g, "oracle": o, "adapter": None, "judged_by": "foundation model",
        })
        for test, (g, o) in about.items()
    }  # fmt: skip


ALL, HALF = [1] * 10, [1, 0] * 5


def test_generators_are_compared_on_the_same_images(checks):
    searches = {("m", "fine"): searched(ALL, HALF), ("m", "coarse"): searched(HALF, ALL)}
    (row,) = rows(searches, checks, "")
    assert (row["setting"], row["value"], row["other_value"]) == ("generator", "g", "h")
    assert (row["test"], row["other_test"], row["n"]) == ("fine", "coarse", 10)
    # VR 100 and 50, PA 50 and 100 of the valid ones, and all originals are right.
    assert row["other_less_this_vr_points"] == -50 and row["other_less_this_pa_points"] == 50
    assert (row["fmr_pct_higher_better"], row["other_fmr_pct_higher_better"]) == (50, 100)
    low, high = (row[f"other_less_this_fmr_bootstrap95_{end}_points"] for end in ("low", "high"))
    # The sd of a mean of ten halves is 15.8 points; 1.96 of these are 31.
    assert 15 < low < 30 and 70 < high < 85
    assert (row["judged_images_per_image"], row["accepted_steps_mean"]) == (4, 3)
    assert set(row) <= set(columns(""))


def test_the_interval_is_of_pairs(checks):
    same = {("m", "fine"): searched(ALL, HALF), ("m", "coarse"): searched(ALL, HALF)}
    (row,) = rows(same, checks, "")
    ends = [row[f"other_less_this_pa_{end}points"] for end in ("", "bootstrap95_low_")]
    assert ends == [0, 0] and row["other_less_this_pa_bootstrap95_high_points"] == 0


def test_a_smaller_search_is_compared_on_its_own_images(checks):
    searches = {("m", "fine"): searched(ALL, HALF), ("m", "coarse"): searched(ALL, ALL, n=4)}
    whole = searches["m", "fine"].frame
    whole.loc[whole["image_id"] >= IDS[4], ["steps", "tries"]] = 50  # of images of one search only
    (row,) = rows(searches, checks, "")
    assert row["n"] == 4 and row["other_less_this_pa_points"] == 50
    assert (row["judged_images_per_image"], row["accepted_steps_mean"]) == (4, 3)


def test_searches_that_differ_in_two_settings_or_models_do_not_stand_side_by_side(checks):
    searches = {("m", "fine"): searched(ALL, HALF), ("m", "strict"): searched(ALL, HALF)}
    assert list(rows(searches, checks, "")) == []
    searches = {("m", "fine"): searched(ALL, HALF), ("n", "coarse"): searched(ALL, HALF)}
    assert list(rows(searches, checks, "")) == []


def test_a_search_that_failed_says_why(checks):
    broken = failed("the logits are NaN", {"conditions": [STEP]})
    (row,) = rows({("m", "fine"): searched(ALL, HALF), ("m", "coarse"): broken}, checks, "")
    assert (row["n"], row["status"]) == (0, "the logits are NaN")


def test_without_a_valid_image_a_score_is_empty(checks):
    nothing = searched([0] * 10, ALL)
    (row,) = rows({("m", "fine"): searched(ALL, HALF), ("m", "coarse"): nothing}, checks, "")
    assert row["other_vr_pct_higher_better"] == 0 and row["other_pa_pct_higher_better"] is None
    assert row["other_less_this_pa_points"] is None
    assert "other_accepted_steps_mean" not in row
