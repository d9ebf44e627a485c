"""Scores of searched images: the valid ones of the measured condition, of the model's own."""

import numpy as np
import pytest

from robusteval.records import OK, failed, read_records, write_records
from workflow_scripts._dar import BESIDE, VALUE, decide, means
from workflow_scripts.score import scored
from workflow_scripts.score_searched import score_searched
from workflow_scripts.tabulate_selective import rows as selective_rows

OPTIONS = {
    "score": "max_softmax", "calibration": "clean", "mask": "correct", "target_rate": 0.95,
    "rejected_mistake": "right", "averaging": "kinds",
}  # fmt: skip
SAID = {("m", "round trip"): [0, 0, 0, 0], ("m", "step"): [0, 1, 1, 0], ("m", "free"): [1] * 4}


@pytest.fixture
def cell(transfers, tmp_path):
    """Score the search `mine` against m, of which three of four images are valid."""

    def make(missing=None, valid=(True, True, True, False), logits=None, model="m"):
        said = transfers({**SAID, ("other", "step"): [1, 1, 1, 1]}, missing=missing)
        said.frame["search"] = "mine"
        said.frame["valid"] = np.tile(valid, 4)
        if logits is not None:
            said.logits[4:8] = logits
        write_records(tmp_path / f"{model}.parquet", said)
        output = tmp_path / "scores" / model / "mine.parquet"
        score_searched(str(tmp_path / f"{model}.parquet"), "step", ["energy"], str(output))
        return read_records(output)

    return make


def test_valid_images_of_the_condition_that_is_measured_count(cell):
    found = cell()
    assert found.frame["prediction"].tolist() == [0, 1, 1]
    assert found.frame["image_id"].tolist() == [10, 11, 12]
    assert set(found.frame["condition"]) == {"step"} and found.logits.shape == (3, 0)
    assert {"energy", "max_softmax"} <= set(found.frame)


def test_what_could_not_be_searched_says_why(cell):
    assert cell(missing={"m.mine": "the logits are NaN"}).status == "the logits are NaN"
    assert cell(missing={"other.mine": "NaN"}).status == OK
    assert cell(valid=[False] * 4).status == "no valid image"


def test_an_infinite_logit_breaks_the_cell(cell):
    assert "the first at row 5" in cell(logits=[[0, 1], [0, np.inf], [0, 1], [0, 1]]).status


def test_decisions_are_at_the_threshold_of_clean_images_and_in_no_mean(cell, records):
    clean = records({("clean", 0): [0] * 20}, logits=[1] + [2] * 19)
    novel = records({("digits", 0): [0] * 2}, labels=[-1, -1], logits=[0, 3])
    cells = {"clean": scored(clean, []), "novel": scored(novel, [])}
    kinds = {"clean": "clean", "novel": "novel", "mine": BESIDE}
    # Right and sure; wrong and sure; wrong and unsure, so rejected; the fourth is not valid.
    cells["mine"] = cell(logits=[[3, 0], [0, 3], [0, 1], [9, 0]])
    decided = decide(cells, kinds, OPTIONS, 1)
    assert decided.sets[-1].right.tolist() == [True, False, True]
    found = {kind: mean.columns() for kind, mean in means(decided.sets, "kinds").items()}
    assert found[BESIDE][VALUE] == 66.67 and found[BESIDE]["n"] == 3
    # 19 of 20 known ones, one of two unknown ones.
    assert (found["mean"][VALUE], found["mean"]["n"]) == (72.5, 22)
    cells["mine"] = failed("no valid image", {})
    found = means(decide(cells, kinds, OPTIONS, 1).sets, "kinds")
    assert found[BESIDE].status == "no valid image"
    assert found["mean"].columns()[VALUE] == 72.5


def test_selective_and_calibration_have_a_row_of_it(cell):
    calibrated, (rejected,) = next(selective_rows("m", {"mine": cell()}, ["energy"]))
    assert (calibrated["condition"], calibrated["n"]) == ("step", 3)
    assert rejected["accuracy_pct_higher_better"] == 33.33 and rejected["status"] == OK
