import numpy as np
import pandas as pd
import pytest

from robusteval.images._image_set import index_of
from robusteval.records import Records, failed
from workflow_scripts import _behaviour, _twin_rows
from workflow_scripts._behaviour import ACCURACY, EVERY, MEAN, WORST
from workflow_scripts._twin_rows import twin_rows
from workflow_scripts.tabulate_behaviour import rows, visible_rows

TESTS = {
    "near": {"attack": "pgd", "conditions": {"a": {"eps": 0.1}, "b": {"eps": 0.2}}},
    "far": {"attack": "square", "conditions": {"a": {"eps": 0.1}}},
    "least": {"attack": "cw_l2", "conditions": {"minimal": {"steps": 5}}},
}


def answers(probability, label, condition="a"):
    """Return records of log-probabilities, which are logits, too."""
    p = np.array(probability)
    frame = index_of(np.arange(len(p)), np.array(label), condition)
    frame["prediction"] = p.argmax(1)
    return Records(frame, np.log(p).astype(np.float32))


def right(n):
    return answers([[0.9, 0.1]] * n, [0] * n, "clean")


def both(*records):
    frame = pd.concat([r.frame for r in records], ignore_index=True)
    return Records(frame, np.concatenate([r.logits for r in records]))


def test_confidences_by_hand():
    # Vector T3: two successes of three.
    cell = answers([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.25, 0.35, 0.40]], [0, 0, 1])
    said = cell.frame.assign(prediction=cell.frame["label"], condition="clean")
    first, *_ = rows("m", [("near", cell)], TESTS, Records(said, cell.logits))
    assert (first[ACCURACY], first["n"], first["successes_of_right_before"]) == (33.33, 3, 2)
    assert first["acac_pct_of_successes_lower_better"] == 55.0
    assert first["actc_pct_of_successes_higher_better"] == 22.5
    assert first["nte_pct_of_successes_lower_better"] == 27.5


def test_no_success_leaves_the_confidences_empty():
    first, *_ = rows("m", [("near", answers([[0.9, 0.1]] * 3, [0] * 3))], TESTS, right(3))
    assert first["successes_of_right_before"] == 0 and first["status"] == "ok"
    assert not {c for c in _behaviour.CONFIDENCES.values() if c in first}


def test_mean_and_worst_case_over_settings():
    cell = both(
        answers([[0.9, 0.1], [0.1, 0.9], [0.9, 0.1], [0.9, 0.1]], [0] * 4, "a"),
        answers([[0.1, 0.9], [0.9, 0.1], [0.1, 0.9]], [0] * 3, "b"),
    )
    found = [r for r in rows("m", [("near", cell)], TESTS, right(4)) if r["attack"] != "near"]
    assert [r["attack"] for r in found] == [MEAN, WORST, EVERY]
    # Of the three images that both have, "a" leaves 2 right, "b" 1, and none withstands both.
    assert [r["n"] for r in found] == [3, 3, 3]
    assert [r[ACCURACY] for r in found] == [50.0, 33.33, 0.0]
    assert found[1]["condition"] == "near, b"
    # Of a rate it is Wilson's interval, of a mean over images and settings another one.
    assert [("wilson95_low_pct" in r, "normal95_low_pct" in r) for r in found] == [
        (False, True),
        (True, False),
        (True, False),
    ]


def test_white_and_black_boxes_are_apart_and_searches_in_neither():
    wrong = answers([[0.1, 0.9]] * 2, [0] * 2)
    least = answers([[0.1, 0.9]] * 2, [0] * 2, "minimal")
    cells = [("near", wrong), ("far", answers([[0.9, 0.1]] * 2, [0] * 2)), ("least", least)]
    found = {(r["access"], r["attack"]): r for r in rows("m", cells, TESTS, right(2))}
    assert found["white box", EVERY][ACCURACY] == 0
    assert found["black box", EVERY][ACCURACY] == 100
    assert found["white box", MEAN]["condition"] == "1 settings"


def test_a_broken_attack_leaves_no_mean():
    cells = [("near", failed("no gradient", {})), ("far", answers([[0.9, 0.1]], [0]))]
    found = {(r["access"], r["attack"]): r for r in rows("m", cells, TESTS, right(1))}
    assert found["white box", "near"]["status"] == "no gradient"
    assert found["white box", EVERY]["status"] == "near: no gradient"
    assert ("white box", MEAN) not in found and ("black box", MEAN) in found


@pytest.mark.parametrize(
    ("failures", "clean", "expected"),
    [
        ({}, right(2), ["no success", "no success"]),
        ({"far": "no gradient"}, right(2), ["no success", "no gradient"]),
        ({}, failed("NaN", {}), ["NaN", "NaN"]),
    ],
    ids=["none", "attack", "clean"],
)
def test_an_attack_that_failed_is_no_attack_without_success(failures, clean, expected):
    frame = pd.DataFrame(columns=["attack", "image_id", "condition"])
    cell = Records(frame, np.empty((0, 0), np.float32), settings={"failed": failures})
    tests = {"least": TESTS["least"], "far": TESTS["far"]}
    found = list(visible_rows({"m": cell}, tests, {"m": clean}))
    assert [(r["n"], r["status"]) for r in found] == [(0, status) for status in expected]


Y = [0, 0, 1, 1, 0, 1]  # vector T8
PLAIN = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4], [0.6, 0.4]]
DEFENDED = [[0.8, 0.2], [0.7, 0.3], [0.4, 0.6], [0.9, 0.1], [0.3, 0.7], [0.2, 0.8]]


def test_twins_by_hand():
    clean = {"plain": answers(PLAIN, Y), "defended": answers(DEFENDED, Y)}
    classes = {"plain": ["a", "b"], "defended": ["a", "b"]}
    (row,) = twin_rows({"defended": "plain"}, clean, classes)
    assert (row["n"], row["n_both_right"], row["status"]) == (6, 2, "ok")
    assert row[_twin_rows.CAV] == 16.67
    assert (row[_twin_rows.CRR], row[_twin_rows.CSR]) == (33.33, 16.67)
    assert row[_twin_rows.CCV] == 15.0
    assert row[_twin_rows.COS] == pytest.approx(0.0170618, abs=1e-6)  # printed with six digits


def test_a_twin_of_other_classes_is_refused():
    clean = {"plain": answers(PLAIN, Y), "defended": answers(DEFENDED, Y)}
    with pytest.raises(ValueError, match="defended and its twin plain: class 1 of the defended"):
        list(twin_rows({"defended": "plain"}, clean, {"plain": ["a", "b"], "defended": ["a", "c"]}))
