import numpy as np
import pandas as pd
import pytest

from robusteval.records import Records, failed, write_records
from workflow_scripts.tabulate_transfer import (
    BOTH,
    COLUMNS,
    SOURCE,
    TOP,
    VALUE,
    rows,
    tabulate_transfer,
)

CONDITIONS = {"x": ["small", "large"]}


@pytest.fixture
def clean(records):
    """Of the images 10 to 13, a has 10, 11 and 12 right, and b 10, 11 and 13."""
    return {"a": records({("clean", 0): [0, 0, 0, 1]}), "b": records({("clean", 0): [0, 0, 1, 0]})}


@pytest.fixture
def answers(transfers):
    """Return what b says about the images made against a and those made against itself."""
    said = {
        ("a", "small"): [1, 0, 1, 1],
        ("a", "large"): [1, 1, 1, 1],
        ("b", "small"): [0, 0, 1, 1],
        ("b", "large"): [0, 1, 1, 1],
    }
    return transfers(said)


def table(transfers, clean):
    return list(rows([("b", "x", transfers)], clean, ["a", "b"], CONDITIONS))


def test_both_populations(answers, clean):
    found = [
        (r["condition"], r["source"], r["target"], r["population"], r["n"], r[VALUE])
        for r in table(answers, clean)
    ]
    assert found == [
        ("small", "a", "b", BOTH, 2, 50.0),  # 10 and 11
        ("small", "a", "b", SOURCE, 3, 66.67),  # 10, 11 and 12
        ("small", "b", "b", BOTH, 3, 33.33),  # 10, 11 and 13
        ("small", "b", "b", SOURCE, 3, 33.33),
        ("large", "a", "b", BOTH, 2, 100.0),
        ("large", "a", "b", SOURCE, 3, 100.0),
        ("large", "b", "b", BOTH, 3, 66.67),
        ("large", "b", "b", SOURCE, 3, 66.67),
    ]


def test_the_interval_is_of_the_population(answers, clean):
    row = table(answers, clean)[0]
    # Wilson's interval of 1 of 2: half 1.959964 / 5.841459 * sqrt(0.5 + 0.960365) = 0.40547.
    assert (row["wilson95_low_pct"], row["wilson95_high_pct"]) == (9.45, 90.55)


def test_a_source_without_images_is_named(transfers, clean):
    answers = transfers({("b", "small"): [1] * 4, ("b", "large"): [1] * 4}, missing={"a": "NaN"})
    found = {(r["source"], r["n"], r["status"]) for r in table(answers, clean)}
    assert found == {("a", 0, "source a: NaN"), ("b", 3, "ok")}


def test_a_target_without_answers_is_named(clean):
    found = {
        (r["n"], r["status"], VALUE in r)
        for r in table(failed("NaN", {"missing": {}, "resized": {"a": "no", "b": "no"}}), clean)
    }
    assert found == {(0, "target b: NaN", False)}


def test_a_model_without_clean_answers_is_named(answers, clean):
    found = {
        (r["source"], r["n"], r["status"])
        for r in table(answers, {**clean, "a": failed("NaN", {})})
    }
    assert found == {("a", 0, "a: NaN"), ("b", 3, "ok")}
    found = {
        (r["source"], r["n"], r["status"])
        for r in table(answers, {**clean, "b": failed("NaN", {})})
    }
    assert found == {("a", 0, "b: NaN"), ("b", 0, "b: NaN")}


def test_an_empty_population_has_no_rate(answers, clean, records):
    nothing = records({("clean", 0): [1, 1, 1, 1]})
    both, source = table(answers, {**clean, "b": nothing})[:2]
    assert (both["n"], both["status"], VALUE in both) == (0, "ok", False)
    assert (source["n"], source[VALUE]) == (3, 66.67)


@pytest.fixture
def targeted():
    """Make b's answers about images made against a, whose targets stand at these places."""

    def make(places, classes=7):
        n = len(places)
        frame = pd.DataFrame({"image_id": 10 + np.arange(n), "label": 0, "condition": "small"})
        frame = frame.assign(severity=0, source="a", target=3, prediction=1)
        logits = np.zeros((n, classes), np.float32)
        for row, place in zip(logits, places, strict=True):
            others = [c for c in range(classes) if c != 3]
            row[[*others[:place], 3, *others[place:]]] = np.arange(classes, 0, -1)
        frame["prediction"] = logits.argmax(1)
        settings = {"missing": {}, "resized": {"a": "no"}, "goals": {"small": "random"}}
        return Records(frame, logits, settings=settings)

    return make


def test_a_target_may_be_first_or_among_the_first_five(targeted, clean):
    found = rows([("b", "x", targeted([0, 4, 5, 0]))], clean, ["a"], {"x": ["small"]})
    both, source = found
    assert (both["goal"], both["n"], both[TOP[1]], both[TOP[5]]) == ("random", 2, 50.0, 100.0)
    assert (source["n"], source[TOP[1]], source[TOP[5]]) == (3, 33.33, 66.67)
    # Wilson's interval of 1 of 2, as above.
    assert (both["top1_wilson95_low_pct"], both["top1_wilson95_high_pct"]) == (9.45, 90.55)
    assert both[VALUE] == 50.0  # the second is taken for class 0, its label


def test_among_five_classes_the_first_five_say_nothing(targeted, clean):
    both, _ = rows([("b", "x", targeted([0, 4, 3, 0], 5))], clean, ["a"], {"x": ["small"]})
    assert both[TOP[1]] == 50.0
    assert TOP[5] not in both


def test_an_untargeted_attack_has_no_targeted_rate(answers, clean):
    assert not any(name in row for row in table(answers, clean) for name in TOP.values())
    assert {row["goal"] for row in table(answers, clean)} == {"untargeted"}


def test_the_table_is_written(answers, clean, tmp_path):
    for model, r in clean.items():
        write_records(tmp_path / f"records/{model}/clean.parquet", r)
    write_records(tmp_path / "transfer/x/b.parquet", answers)
    tabulate_transfer(
        [str(tmp_path / "transfer/x/b.parquet")],
        [str(tmp_path / f"records/{model}/clean.parquet") for model in clean],
        ["a", "b"],
        CONDITIONS,
        str(tmp_path / "transfer.csv"),
    )
    written = pd.read_csv(tmp_path / "transfer.csv")
    assert list(written) == COLUMNS
    assert written[VALUE].tolist() == [50.0, 66.67, 33.33, 33.33, 100.0, 100.0, 66.67, 66.67]
