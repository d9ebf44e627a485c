import numpy as np
import pandas as pd
import pytest

from robusteval.records import failed
from workflow_scripts._tables import left_out, own, right_images, write_table


def test_own_keeps_the_rows_and_logits_of_the_images_made_against_the_model(transfers):
    everything = transfers({("a", "eps"): [0, 1], ("b", "eps"): [1, 1], ("a", "big"): [1, 0]})
    mine = own(everything, "a")
    assert mine.frame["prediction"].tolist() == [0, 1, 1, 0]
    assert mine.frame["condition"].tolist() == ["eps", "eps", "big", "big"]
    assert mine.frame.index.tolist() == [0, 1, 2, 3]  # positions, which select logits elsewhere
    assert np.array_equal(mine.logits, everything.logits[[0, 1, 4, 5]])


def test_own_of_a_model_without_images_says_why(transfers):
    missing = own(transfers({("b", "eps"): [0, 1]}, missing={"a": "NaN"}), "a")
    assert missing.status == "NaN"
    assert len(missing.frame) == len(missing.logits) == 0


def test_own_of_a_failed_target_is_its_failure():
    assert own(failed("NaN", {"missing": {}}), "a").status == "NaN"


def test_right_images_are_ids(records):
    assert right_images(records({("clean", 0): [0, 1, 0]}, labels=[0, 0, 1])) == {10}


def test_a_table_leaves_gaps_empty(tmp_path):
    write_table(
        tmp_path / "t.csv", [{"model": "a", "n": 0}, {"model": "b", "x": 0.5}], ["model", "n", "x"]
    )
    assert (tmp_path / "t.csv").read_bytes() == b"model,n,x\na,0.0,\nb,,0.5\n"


def test_a_table_refuses_a_column_that_it_does_not_have(tmp_path):
    with pytest.raises(ValueError, match=r"t\.csv: columns \['y'\] are not among \['x'\]"):
        write_table(tmp_path / "t.csv", [{"x": 1}, {"x": 2, "y": 1}], ["x"])
    assert not (tmp_path / "t.csv").exists()


def test_images_left_out_are_a_column_of_every_row(tmp_path, records):
    cells = [records({("clean", 0): [0]}), failed("NaN", {"left_out": {"photographs": 3}})]
    assert left_out([cells[0]]) == ""
    assert left_out(cells[:1], cells[1:]) == "3 of photographs"
    write_table(tmp_path / "t.csv", [{"n": 1}, {"n": 2}], ["n"], left_out=left_out(cells))
    frame = pd.read_csv(tmp_path / "t.csv")
    assert frame["unreadable_left_out"].tolist() == 2 * ["3 of photographs"]
