import numpy as np
import pandas as pd
import pytest

from robusteval import plugins
from robusteval.records import OK, Records, failed, read_records, write_records
from robusteval.seeds import generator
from workflow_scripts import score as script
from workflow_scripts.score import score, scored
from workflow_scripts.score_adversarial import score_adversarial


@pytest.fixture
def cell(records):
    found = records({("fog", 1): [0, 1, 0], ("fog", 2): [1, 1]})
    return Records(found.frame, generator(1, "score").normal(size=(5, 7)).astype(np.float32))


def test_every_score_there_is_comes_out_as_the_library_has_it(cell, monkeypatch):
    monkeypatch.setattr(script, "BLOCK", 2)
    names = plugins.names("scores")
    found = scored(cell, names)
    assert found.status == OK and found.logits.shape == (5, 0)
    for name in names:
        whole = plugins.load("scores", name)(cell.logits)
        assert found.frame[name].to_numpy().tobytes() == whole.tobytes(), name


def test_rows_and_what_was_left_out_stay(cell):
    before = Records(cell.frame, cell.logits, OK, {"left_out": {"set": 2}, "weights": "w"})
    found = scored(before, ["energy"])
    pd.testing.assert_frame_equal(found.frame[list(cell.frame)], cell.frame)
    assert found.settings == {"scores": ["energy", "max_softmax"], "left_out": {"set": 2}}


def test_a_broken_cell_stays_broken_and_an_infinite_logit_breaks_one(cell):
    assert scored(failed("NaN", {}), ["energy"]).status == "NaN"
    cell.logits[3, 2] = np.inf
    found = scored(cell, ["energy"])
    assert "the first at row 3" in found.status and found.frame.empty


def test_one_file_a_test(cell, tmp_path):
    write_records(tmp_path / "records/m/fog.parquet", cell)
    output = str(tmp_path / "scores/m/fog.parquet")
    score([str(tmp_path / "records/m/fog.parquet")], ["energy"], [output])
    found = read_records(output).frame
    assert len(found) == 5
    assert {"energy", "max_softmax"} <= set(found)  # the latter is needed as a probability


def test_of_an_attack_the_images_made_against_the_model_count(transfers, tmp_path):
    attack = transfers({("m", "eps"): [0, 1], ("other", "eps"): [1, 1, 1]}, missing={"gone": "NaN"})
    path, output = str(tmp_path / "transfer.parquet"), str(tmp_path / "scored.parquet")
    write_records(path, attack)
    score_adversarial([path], "m", ["energy"], [output])
    assert read_records(output).frame["prediction"].tolist() == [0, 1]
    score_adversarial([path], "gone", ["energy"], [output])
    assert read_records(output).status == "NaN"
