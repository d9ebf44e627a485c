import math

import numpy as np
import pandas as pd
import pytest

from robusteval.records import failed, write_records
from workflow_scripts.tabulate_dar import (
    VALUE,
    by_kind,
    by_set,
    histogram,
    tabulate_dar,
    thresholds,
)

OPTIONS = {
    "calibration": "clean",
    "mask": "correct",
    "target_rate": 1.0,
    "rejected_mistake": "right",
}


def score(lead):
    """Return the log-probability of class 0 of two, which leads by ``lead``."""
    return -math.log1p(math.exp(-lead))


def approx(value):
    return pytest.approx(value, rel=1e-6)  # leads are kept in float32


@pytest.fixture
def clean(records):
    """Four times five images of which the least confident is wrong."""
    return records({("clean", 0): [1, 0, 0, 0, 0] * 4}, logits=[1, 2, 3, 4, 5] * 4)


@pytest.mark.parametrize(
    ("mask", "rate", "lead"),
    [("correct", 1.0, 2), ("all", 1.0, 1), ("correct", 0.75, 3), ("correct", 0.5, 4)],
)
def test_a_threshold_keeps_its_share_of_the_clean_images(clean, mask, rate, lead):
    options = {**OPTIONS, "mask": mask, "target_rate": rate}
    assert thresholds({"m": clean}, options) == {"m": approx(score(lead))}


def test_a_model_without_right_images_has_no_threshold(records, clean):
    wrong = records({("clean", 0): [1, 1]}, logits=[1, 2])
    found = thresholds({"wrong": wrong, "broken": failed("NaN", {}), "m": clean}, OPTIONS)
    assert math.isnan(found["wrong"]) and math.isnan(found["broken"])
    assert found["m"] == approx(score(2))


@pytest.mark.parametrize(("rejected_mistake", "value"), [("right", 50.0), ("wrong", 33.33)])
def test_each_image_set_has_its_share_of_right_decisions(records, rejected_mistake, value):
    cell = records(
        # the second set: accepted, right, six times
        {("easy", 1): [0] * 6, ("mixed", 2): [0, 0, 0, 0, 0, 0]},
        logits=[3] * 6 + [3, 1, 3, 1, 1, 3],
    )
    # right and accepted, right and rejected, a mistake accepted and one rejected, an unknown class
    # rejected and one accepted
    cell.frame.loc[6:, "label"] = [0, 0, 1, 1, -1, -1]
    options = {**OPTIONS, "rejected_mistake": rejected_mistake}
    easy, mixed = by_set({("m", "t"): cell}, {"t": "corrupt"}, {"m": score(2)}, options)
    assert (easy["condition"], easy["severity"], easy["n"], easy[VALUE]) == ("easy", 1, 6, 100.0)
    assert (mixed["condition"], mixed["severity"], mixed["n"], mixed[VALUE]) == (
        "mixed",
        2,
        6,
        value,
    )
    assert (mixed["model"], mixed["kind"], mixed["test"]) == ("m", "corrupt", "t")
    assert mixed["rejected_mistake"] == rejected_mistake


def test_a_set_that_could_not_be_measured_says_why(clean):
    threshold = {"m": score(2), "wrong": float("nan")}
    cells = {("m", "t"): failed("NaN", {}), ("wrong", "t"): clean}
    rows = list(by_set(cells, {"t": "clean"}, threshold, OPTIONS))
    assert [(r["model"], r["n"], r["status"], VALUE in r) for r in rows] == [
        ("m", 0, "NaN", False),
        ("wrong", 0, "no clean image is right", False),
    ]


def set_row(model, kind, value, n, status="ok"):
    row = {"model": model, "kind": kind, "n": n, "status": status, "score": "max_softmax"}
    return {**row, **OPTIONS, **({"_dar": value} if status == "ok" else {})}


def test_sets_weigh_the_same_in_a_kind_and_kinds_in_the_mean():
    rows = [
        set_row("m", "corrupt", 0.5, 10),
        set_row("m", "corrupt", 1.0, 90),
        set_row("m", "clean", 1.0, 10),
        set_row("other", "clean", 0.2, 10),
    ]
    found = [(r["model"], r["kind"], r["sets"], r["n"], r[VALUE]) for r in by_kind(rows)]
    assert found == [
        ("m", "clean", 1, 10, 100.0),
        ("m", "corrupt", 2, 100, 75.0),
        ("m", "mean", 2, 110, 87.5),
        ("other", "clean", 1, 10, 20.0),
        ("other", "mean", 1, 10, 20.0),
    ]


def test_a_missing_set_leaves_no_value_for_its_kind_and_no_mean():
    rows = [
        set_row("m", "clean", 1.0, 10),
        set_row("m", "corrupt", 0.5, 10),
        set_row("m", "corrupt", None, 0, "NaN"),
    ]
    found = [(r["kind"], r["n"], r["status"], r.get(VALUE)) for r in by_kind(rows)]
    assert found == [
        ("clean", 10, "ok", 100.0),
        ("corrupt", 0, "NaN", None),
        ("mean", 0, "a kind is missing", None),
    ]


def test_the_histogram_counts_every_image_of_a_kind(records):
    lead = {p: math.log(p / (1 - p)) for p in (0.5125, 0.7625, 0.9875)}  # the middles of bins
    cells = {
        ("m", "clean"): records({("clean", 0): [0]}, logits=[lead[0.9875]]),
        ("m", "fog"): records({("fog", 1): [0, 0]}, logits=[lead[0.5125], lead[0.7625]]),
        ("m", "snow"): records({("snow", 1): [0, 0]}, logits=[lead[0.7625], lead[0.9875]]),
        ("m", "novel"): failed("NaN", {}),
    }
    kinds = {"clean": "clean", "fog": "corrupt", "snow": "corrupt", "novel": "novel"}
    rows = list(histogram(cells, kinds, {"m": math.log(0.75)}))
    counted = {(r["kind"], r["bin_low"], r["bin_high"]): r["count"] for r in rows if r["count"]}
    assert counted == {
        ("clean", 0.975, 1.0): 1,
        ("corrupt", 0.5, 0.525): 1,
        ("corrupt", 0.75, 0.775): 2,
        ("corrupt", 0.975, 1.0): 1,
    }
    assert len(rows) == 2 * 40  # a kind with a missing set has none
    assert {(r["model"], r["threshold"]) for r in rows} == {("m", 0.75)}


def test_the_three_tables(clean, transfers, tmp_path):
    attack = transfers({("m", "eps"): [0, 1], ("other", "eps"): [1, 1]})
    attack.logits[:] = np.array([[9, 0], [0, 9], [0, 0], [0, 0]], np.float32)
    write_records(tmp_path / "records/m/clean.parquet", clean)
    write_records(tmp_path / "transfer/x/m.parquet", attack)
    outputs = {name: str(tmp_path / f"{name}.csv") for name in ("by_kind", "by_set", "histogram")}
    tabulate_dar(
        [str(tmp_path / "records/m/clean.parquet")],
        [str(tmp_path / "transfer/x/m.parquet")],
        {"clean": "clean", "x": "adversarial"},
        OPTIONS,
        outputs,
    )
    kinds = pd.read_csv(outputs["by_kind"]).set_index("kind")[VALUE]
    # The mistake among the clean images is rejected; the one under attack is not.
    assert kinds.to_dict() == {"clean": 100.0, "adversarial": 50.0, "mean": 75.0}
    assert pd.read_csv(outputs["by_set"])[VALUE].tolist() == [100.0, 50.0]
    assert pd.read_csv(outputs["histogram"])["count"].sum() == 22
