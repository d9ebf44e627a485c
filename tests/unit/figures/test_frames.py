import numpy as np
import pandas as pd
import pytest

from robusteval.figures._frames import check_frame, images_text, order, wide


def frame():
    columns = ["model", "test", "n", "pct", "status"]
    rows = [
        ("b", "clean", 1000, 90.0, "ok"),
        ("b", "noise", 812, 50.0, "ok"),
        ("a", "clean", 5, 0.0, "incomplete"),
    ]
    return pd.DataFrame(rows, columns=columns)


def test_order_is_that_of_appearance():
    assert order(frame(), "model") == ["b", "a"]


def test_wide_leaves_gaps_where_cells_are_broken_or_absent():
    table = wide(frame(), "pct", rows="test", columns="model")
    assert table.index.tolist() == ["clean", "noise"]
    assert table.columns.tolist() == ["b", "a"]
    np.testing.assert_array_equal(table, [[90, np.nan], [50, np.nan]])


def test_wide_in_a_given_order():
    table = wide(frame(), "pct", rows="test", columns="model", row_order=["noise", "clean"])
    np.testing.assert_array_equal(table["b"], [50, 90])


def test_a_zero_that_was_measured_stays_zero():
    measured = frame().assign(status="ok")
    assert wide(measured, "pct", rows="test", columns="model").loc["clean", "a"] == 0


def test_number_of_images_leaves_out_broken_cells():
    assert images_text(frame()) == "n = 812 to 1,000"
    assert images_text(frame().iloc[:1]) == "n = 1,000"
    assert images_text(frame().iloc[2:]) == "n/a"


def test_repeated_cell_is_named():
    with pytest.raises(ValueError, match=r"{'model': 'b', 'test': 'clean'}"):
        check_frame(pd.concat([frame(), frame()]), ["model"], ["model", "test"])
