import numpy as np
import pandas as pd
import pytest

from robusteval.images._image_set import index_of
from robusteval.records import Records, failed, write_records
from workflow_scripts.tabulate_accuracy import VALUE, by_condition, by_test, tabulate_accuracy

# Wilson's interval of 2 of 4 and of 4 of 4: centre 0.5 and half 0.34996; 4 / (4 + 1.959964 ** 2).
HALF = {VALUE: 50.0, "wilson95_low_pct": 15.0, "wilson95_high_pct": 85.0}
WHOLE = {VALUE: 100.0, "wilson95_low_pct": 51.01, "wilson95_high_pct": 100.0}


def table(cells, attacks=()):
    return {(row["model"], row["test"]): row for row in by_test(cells, list(attacks), ["shift"])}


def test_each_condition_and_severity_has_a_row(records):
    said = {("fog", 5): [0, 1, 9, 9], ("fog", 1): [0, 1, 2, 3]}
    cells = {("m", "weather"): records(said, labels=[0, 1, 2, 3])}
    row = {
        "model": "m",
        "test": "weather",
        "status": "ok",
        "condition": "fog",
        "classes": "2",
        "n": 4,
    }
    assert list(by_condition(cells)) == [
        {**row, "severity": 5, **HALF},
        {**row, "severity": 1, **WHOLE},
    ]


def test_a_failed_cell_has_a_row_without_a_value(records):
    cells = {("m", "clean"): failed("NaN", {})}
    row = {"model": "m", "test": "clean", "n": 0, "status": "NaN"}
    assert list(by_condition(cells)) == [row]
    assert list(by_test(cells, [], [])) == [row]


def test_conditions_are_averaged_image_by_image(records):
    # The images are right in 2, 0, 1 and 1 of 2 conditions; their deviation is sqrt(1/6), so the
    # half-width is 1.959964 * 0.408248 / 2 = 0.40008.
    cells = {("m", "weather"): records({("fog", 1): [0, 1, 0, 1], ("fog", 2): [0, 1, 1, 0]})}
    row = table(cells)["m", "weather"]
    assert (row["conditions"], row["n"], row[VALUE]) == (2, 4, 50.0)
    assert (row["low95_pct"], row["high95_pct"]) == (9.99, 90.01)
    assert row["interval"] == "normal, over images"


def test_one_condition_has_a_wilson_interval(records):
    row = table({("m", "clean"): records({("clean", 0): [0, 0, 1, 1]})})["m", "clean"]
    assert (row[VALUE], row["low95_pct"], row["high95_pct"]) == (50.0, 15.0, 85.0)
    assert row["interval"] == "Wilson"


def test_the_worst_attack_of_a_budget_leaves_the_images_that_survive_all(records):
    cells = {
        ("m", "x"): records({("eps 1", 0): [0, 0, 1, 1], ("eps 2", 0): [1, 1, 1, 1]}),
        # the same images in the opposite order: 10 and 12 survive
        ("m", "y"): records({("eps 1", 0): [1, 0, 1, 0]}, ids=[13, 12, 11, 10]),
        ("other", "x"): records({("eps 1", 0): [1, 1, 1, 1]}),
        ("m", "clean"): records({("eps 1", 0): [1, 1, 1, 1]}),
    }
    rows = table(cells, ["x", "y"])
    assert {key: row[VALUE] for key, row in rows.items()} == {
        ("m", "x, eps 1"): 50.0,
        ("m", "x, eps 2"): 0.0,
        ("m", "y, eps 1"): 50.0,
        ("m", "clean"): 0.0,
        ("m", "worst attack, eps 1"): 25.0,
        ("other", "x, eps 1"): 0.0,
    }
    worst = rows["m", "worst attack, eps 1"]
    assert (worst["conditions"], worst["n"], worst["interval"]) == (2, 4, "Wilson")


def test_the_worst_attack_is_over_the_images_that_all_attacked(records):
    cells = {
        ("m", "x"): records({("eps 1", 0): [0, 0, 1, 1]}),
        ("m", "y"): records({("eps 1", 0): [0, 1, 1]}, ids=[10, 11, 13]),  # of which 10 survives
    }
    worst = table(cells, ["x", "y"])["m", "worst attack, eps 1"]
    assert (worst["n"], worst[VALUE]) == (3, 33.33)


def test_no_worst_attack_beside_a_failed_one(records):
    attacks = {("m", "x"): records({("eps", 0): [0, 1]}), ("m", "y"): failed("NaN", {})}
    rows = table(attacks, ["x", "y"])
    assert rows["m", "worst attack"] == {
        "model": "m",
        "test": "worst attack",
        "n": 0,
        "status": "NaN",
    }
    assert ("m", "worst attack, eps") not in rows
    assert rows["m", "x, eps"][VALUE] == 50.0


def test_accuracy_under_attack_is_on_the_images_made_against_the_model(
    records, transfers, tmp_path
):
    clean, attack = tmp_path / "records/m/clean.parquet", tmp_path / "transfer/x/m.parquet"
    write_records(clean, records({("clean", 0): [0, 0, 0, 1]}))
    write_records(attack, transfers({("m", "eps"): [0, 1, 1, 1], ("other", "eps"): [0, 0, 0, 0]}))
    by_cell, tests = tmp_path / "by_cell.csv", tmp_path / "tests.csv"
    tabulate_accuracy([str(clean)], [str(attack)], ["x"], [], str(by_cell), str(tests))
    for path, under_attack in ((by_cell, "x"), (tests, "x, eps")):
        values = pd.read_csv(path).set_index("test")[VALUE]
        assert values.to_dict() == {"clean": 75.0, under_attack: 25.0}


def test_what_a_model_stands_for_is_told_where_any_does(records, tmp_path):
    for model in ("near", "own"):
        path = tmp_path / model / "clean.parquet"
        write_records(path, records({("clean", 0): [0, 0, 0, 1]}))
    cells = [str(tmp_path / model / "clean.parquet") for model in ("near", "own")]
    tables = [tmp_path / "by_cell.csv", tmp_path / "tests.csv"]
    relations = {"near": {"stands_for": "vgg_16", "relation": "near"}}
    for given in (relations, {}, None):
        tabulate_accuracy(cells, [], [], [], *map(str, tables), relations=given)
        for table in tables:
            frame = pd.read_csv(table)
            if not given:
                assert not {"stands_for", "relation"} & set(frame)
                continue
            assert list(frame)[:3] == ["model", "stands_for", "relation"]
            assert frame["relation"].fillna("").tolist() == ["near", ""]
            assert frame["stands_for"].fillna("").tolist() == ["vgg_16", ""]


@pytest.fixture
def shifted():
    """Records of a whole set and of one that shows classes 0 and 2 of 3."""
    frame = pd.concat(
        [index_of(np.arange(2), np.array([0, 1]), "v2"), index_of(np.arange(2), [2, 0], "a")],
        ignore_index=True,
    )
    logits = np.array([[3, 1, 2], [1, 2, 3], [1, 3, 2], [0, 1, 2]], np.float32)
    frame["prediction"] = logits.argmax(1)  # 0, 2, 1, 2
    return Records(frame, logits, settings={"subsets": {"a": [0, 2]}})


def test_a_set_of_some_classes_is_measured_among_them_and_among_all(shifted):
    # of "a", class 2 wins over class 0 both times: right, wrong; among all, class 1 wins once
    found = [
        (row["condition"], row["classes"], row[VALUE])
        for row in by_condition({("m", "shift"): shifted})
    ]
    assert found == [("v2", "3", 50.0), ("a", "2 of 3", 50.0), ("a", "3", 0.0)]
    rows = table({("m", "shift"): shifted})
    assert {test: row[VALUE] for (_, test), row in rows.items()} == {
        "v2": 50.0,
        "a, among 2 of 3 classes": 50.0,
        "a, among 3 classes": 0.0,
    }


def test_unknown_classes_have_no_accuracy(records):
    with pytest.raises(ValueError, match="label -1"):
        list(by_condition({("m", "novel"): records({("digits", 0): [0]}, labels=[-1])}))
