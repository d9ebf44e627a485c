import math

import numpy as np
import pandas as pd
import pytest

from robusteval.records import failed, write_records
from workflow_scripts.score import scored
from workflow_scripts.tabulate_selective import (
    ACCURACY,
    ACE,
    AUGRC,
    AURC,
    CALIBRATION,
    ECE,
    FEW,
    SELECTIVE,
    rows,
    tabulate_selective,
)

SCORES = ["max_softmax", "margin"]
HALF = math.log(3)  # a lead that gives class 0 a probability of 0.75


@pytest.fixture
def cells(records):
    """Twenty images that are 75% sure, of which 12 are right; a few corrupted ones."""
    clean = records({("clean", 0): [0] * 12 + [1] * 8}, logits=[HALF] * 20)
    fog = records({("fog", 1): [0, 0, 1], ("fog", 2): [0, 1, 1]}, logits=[3, 2, 1, 1, 2, 3])
    return {"clean": scored(clean, SCORES), "fog": scored(fog, SCORES)}


def test_calibration_by_hand(cells):
    (clean, _), (fog, _), _ = rows("m", cells, SCORES)
    assert (clean["n"], clean[ACCURACY], clean["mean_confidence_pct"]) == (20, 60.0, 75.0)
    # All in one bin, and all equal: 15 points too sure whatever the ranges.
    assert (clean[ECE], clean[ACE], clean["status"]) == (15.0, 15.0, "ok")
    assert (fog["status"], ACE in fog, fog[ACCURACY]) == (FEW, False, 66.67)


def test_rejection_by_hand(cells):
    _, (_, ahead), (_, behind) = rows("m", cells, SCORES)
    assert [row["score"] for row in ahead] == SCORES
    for row in ahead:  # the mistake comes last of three: 0, 0, 1 / 3
        assert row[AURC] == round(100 / 9, 2)
        assert row[AUGRC] == round(100 / 18, 2)  # a triangle of 1/3 by 1/3
    for row in behind:  # both mistakes come first: 1, 1, 2 / 3
        assert row[AURC] == round(100 * 8 / 9, 2)


def test_a_broken_cell_says_why_once_for_each_score():
    ((one, several),) = rows("m", {"clean": failed("NaN", {})}, SCORES)
    assert (one["n"], one["status"]) == (0, "NaN")
    assert [(r["score"], r["n"], r["status"]) for r in several] == [
        ("max_softmax", 0, "NaN"),
        ("margin", 0, "NaN"),
    ]


def test_both_tables_with_means_over_sets(cells, tmp_path):
    for test, records in cells.items():
        write_records(tmp_path / f"m/{test}.parquet", records)
    outputs = {name: str(tmp_path / f"{name}.csv") for name in ("calibration", "selective")}
    tabulate_selective([str(tmp_path / f"m/{t}.parquet") for t in cells], SCORES, outputs)
    calibration, selective = (pd.read_csv(path) for path in outputs.values())
    assert list(calibration) == CALIBRATION and list(selective) == SELECTIVE
    assert calibration["condition"].tolist() == ["clean", "fog", "fog", "mean"]
    mean = calibration.iloc[-1]
    assert (mean["test"], mean["sets"], mean["n"], mean["status"]) == ("fog", 2, 6, FEW)
    assert mean[ACCURACY] == 50.0 and np.isnan(mean[ACE])  # of 66.67% and 33.33%
    assert selective["score"].tolist() == [*SCORES, *["max_softmax"] * 3, *["margin"] * 3]
    means = selective[selective["condition"] == "mean"]
    assert means[AURC].tolist() == [50.0, 50.0] and (means["status"] == "ok").all()
    # At least the ends of Wilson's interval of 12 of 20 stand beside the accuracy.
    ends = calibration.iloc[0][["wilson95_low_pct", "wilson95_high_pct"]].tolist()
    assert ends == [38.66, 78.12]
