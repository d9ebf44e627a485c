import math

import numpy as np
import pandas as pd
import pytest

from robusteval.records import failed, write_records
from workflow_scripts._dar import (
    MISSING,
    VALUE,
    ImageSet,
    calibration,
    decide,
    mean_over,
    means,
)
from workflow_scripts.draw_confidence import draw_confidence, label_of
from workflow_scripts.score import scored
from workflow_scripts.tabulate_dar import HISTOGRAM, by_set, confidences, histogram, tabulate_dar

OPTIONS = {
    "score": "max_softmax",
    "calibration": "clean",
    "mask": "correct",
    "target_rate": 1.0,
    "rejected_mistake": "right",
    "averaging": "kinds",
}
SEED = 1


def log_probability(lead):
    """Return the log-probability of class 0 of two, which leads by ``lead``."""
    return -math.log1p(math.exp(-lead))


def approx(value):
    return pytest.approx(value, rel=1e-6)  # leads are kept in float32


@pytest.fixture
def cell(records):
    """Make a scored cell of {(condition, severity): predictions}."""

    def make(said, **more):
        return scored(records(said, **more), ["max_softmax", "margin"])

    return make


@pytest.fixture
def clean(cell):
    """Four times five images of which the least confident is wrong."""
    return cell({("clean", 0): [1, 0, 0, 0, 0] * 4}, logits=[1, 2, 3, 4, 5] * 4)


@pytest.mark.parametrize(
    ("mask", "rate", "lead"),
    [("correct", 1.0, 2), ("all", 1.0, 1), ("correct", 0.75, 3), ("correct", 0.5, 4)],
)
def test_a_threshold_keeps_its_share_of_the_clean_images(clean, mask, rate, lead):
    options = {**OPTIONS, "mask": mask, "target_rate": rate}
    decided = decide({"clean": clean}, {"clean": "clean"}, options, SEED)
    assert decided.threshold == approx(log_probability(lead))
    assert decided.calibrated_on == 20


def test_the_threshold_is_of_the_chosen_score(clean):
    decided = decide({"clean": clean}, {"clean": "clean"}, {**OPTIONS, "score": "margin"}, SEED)
    assert decided.threshold == approx(2.0)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([1] * 20, "none of 20 images is correct"),
        ([0] * 19, "19 calibration images: expected at least 20"),
    ],
)
def test_a_model_without_a_threshold_says_why_in_every_set(cell, said, reason):
    cells = {"clean": cell({("clean", 0): said}), "fog": cell({("fog", 1): [0]})}
    decided = decide(cells, {"clean": "clean", "fog": "corrupt"}, OPTIONS, SEED)
    assert math.isnan(decided.threshold) and len(decided.sets) == 2
    assert all(reason in one.status for one in decided.sets)
    found = means(decided.sets, "kinds")
    assert reason in found["clean"].columns()["status"]
    assert found["mean"].columns() == {"sets": 2, "n": 0, "status": MISSING}


def test_twenty_images_are_enough_and_half_of_them_are_not(clean):
    cells, kinds = {"clean": clean}, {"clean": "clean"}
    (one,) = decide(cells, kinds, OPTIONS, SEED).sets
    assert one.status == "ok"
    (one,) = decide(cells, kinds, {**OPTIONS, "calibration": "held_out"}, SEED).sets
    assert "10 calibration images: expected at least 20" in one.status


def test_images_held_out_are_half_and_not_tested_but_corrupted_ones_are(cell):
    frame = cell({("clean", 0): [0] * 101}, logits=np.arange(101)).frame
    options = {**OPTIONS, "calibration": "held_out"}
    used, tested = calibration(frame, options, SEED)
    assert (len(used), len(tested)) == (50, 51)
    assert set(used["image_id"]) | set(tested["image_id"]) == set(frame["image_id"])
    # The same for every model and order, another half for another seed.
    again, _ = calibration(frame.sample(frac=1, random_state=0), options, SEED)
    other, _ = calibration(frame, options, SEED + 1)
    assert set(again["image_id"]) == set(used["image_id"]) != set(other["image_id"])
    cells = {
        "clean": cell({("clean", 0): [0] * 101}, logits=np.arange(101)),
        "fog": cell({("fog", 1): [0] * 101}, logits=np.arange(101)),
    }
    decided = decide(cells, {"clean": "clean", "fog": "corrupt"}, options, SEED)
    assert [len(one.right) for one in decided.sets] == [51, 101]
    assert decided.calibrated_on == 50


@pytest.mark.parametrize(("rejected_mistake", "value"), [("right", 50.0), ("wrong", 33.33)])
def test_each_image_set_has_its_share_of_right_decisions(clean, records, rejected_mistake, value):
    mixed = records(
        # the second set: accepted, right, six times
        {("easy", 1): [0] * 6, ("mixed", 2): [0, 0, 0, 0, 0, 0]},
        logits=[3] * 6 + [3, 1, 3, 1, 1, 3],
    )
    # right and accepted, right and rejected, a mistake accepted and one rejected, an unknown class
    # rejected and one accepted
    mixed.frame.loc[6:, "label"] = [0, 0, 1, 1, -1, -1]
    options = {**OPTIONS, "rejected_mistake": rejected_mistake}
    cells = {"clean": clean, "t": scored(mixed, ["max_softmax"])}
    decided = decide(cells, {"clean": "clean", "t": "corrupt"}, options, SEED)
    _, easy, second = by_set("m", decided, options)
    assert (easy["condition"], easy["severity"], easy["n"], easy[VALUE]) == ("easy", 1, 6, 100.0)
    assert [second[k] for k in ("condition", "severity", "n", VALUE)] == ["mixed", 2, 6, value]
    assert (second["model"], second["kind"], second["test"]) == ("m", "corrupt", "t")
    assert second["rejected_mistake"] == rejected_mistake


def test_a_broken_test_says_why_and_the_others_stand(clean):
    cells = {"clean": clean, "t": failed("NaN", {})}
    decided = decide(cells, {"clean": "clean", "t": "corrupt"}, OPTIONS, SEED)
    rows = list(by_set("m", decided, OPTIONS))
    assert [(r["n"], r["status"], VALUE in r) for r in rows] == [
        (20, "ok", True),
        (0, "NaN", False),
    ]
    found = means(decided.sets, "kinds")
    assert (found["clean"].status, found["corrupt"].status) == ("ok", "NaN")
    assert found["mean"].status == MISSING and math.isnan(found["mean"].value)


def image_set(kind, right, first=0):
    right = np.array(right, bool)
    return ImageSet(kind, kind, "", 0, first + np.arange(len(right)), right, right.mean())


SETS = [
    image_set("clean", [1] * 10),
    image_set("corrupt", [1, 0] * 5),
    image_set("corrupt", [1] * 30),
]


@pytest.mark.parametrize(
    ("averaging", "corrupt", "mean"),
    # sets of 10, 10 and 30 images with 100%, 50% and 100%
    [("kinds", 75.0, 87.5), ("sets", 75.0, 83.33), ("images", 87.5, 90.0)],
)
def test_what_weighs_the_same_is_a_choice(averaging, corrupt, mean):
    found = {kind: m.columns() for kind, m in means(SETS, averaging).items()}
    assert list(found) == ["clean", "corrupt", "mean"]
    assert (found["corrupt"][VALUE], found["corrupt"]["n"]) == (corrupt, 40)
    assert (found["mean"][VALUE], found["mean"]["n"], found["mean"]["sets"]) == (mean, 50, 3)


def test_the_interval_of_one_set_is_wilsons_and_of_several_by_image():
    one = mean_over([image_set("clean", [1] * 10)], "kinds").columns()
    assert (one["low95_pct"], one["high95_pct"], one["interval"]) == (72.25, 100.0, "wilson")
    same = image_set("corrupt", [1, 0] * 20)
    several = mean_over([same, same], "kinds").columns()
    # Twice the same images: 1.96 * sqrt(0.25 / 39) about one half.
    assert several["interval"] == "normal over images"
    assert (several["low95_pct"], several["high95_pct"]) == (34.31, 65.69)
    right = image_set("corrupt", [1] * 10)
    alike = mean_over([right, right], "kinds").columns()
    assert (alike["low95_pct"], alike["high95_pct"]) == (72.25, 100.0)  # of ten images, not twenty
    assert (alike["n"], alike["interval"]) == (20, "wilson over images")


def test_the_histogram_counts_every_image_of_a_kind(cell):
    lead = {p: math.log(p / (1 - p)) for p in (0.5125, 0.7625, 0.9875)}  # the middles of bins
    cells = {
        "clean": cell({("clean", 0): [0]}, logits=[lead[0.9875]]),
        "fog": cell({("fog", 1): [0, 0]}, logits=[lead[0.5125], lead[0.7625]]),
        "snow": cell({("snow", 1): [0, 0]}, logits=[lead[0.7625], lead[0.9875]]),
        "novel": failed("NaN", {}),
    }
    kinds = {"clean": "clean", "fog": "corrupt", "snow": "corrupt", "novel": "novel"}
    values = {"m": confidences(cells, kinds, "max_softmax")}
    rows = list(histogram(values, {"m": math.log(0.75)}, "max_softmax"))
    counted = {(r["kind"], r["bin_low"], r["bin_high"]): r["count"] for r in rows if r["count"]}
    assert counted == {
        ("clean", 0.975, 1.0): 1,
        ("corrupt", 0.5, 0.525): 1,
        ("corrupt", 0.75, 0.775): 2,
        ("corrupt", 0.975, 1.0): 1,
    }
    assert len(rows) == 2 * 40  # a kind with a missing set has none
    assert {(r["model"], r["threshold"]) for r in rows} == {("m", 0.75)}


def test_the_histogram_of_another_score_reaches_from_its_least_to_its_largest_value(cell):
    cells = {"clean": cell({("clean", 0): [0] * 3}, logits=[1, 2, 5])}
    values = {"m": confidences(cells, {"clean": "clean"}, "margin")}
    rows = list(histogram(values, {"m": 2.0}, "margin"))
    assert (rows[0]["bin_low"], rows[-1]["bin_high"]) == (1.0, 5.0)
    assert sum(row["count"] for row in rows) == 3 and rows[0]["threshold"] == 2.0


def test_the_figure_of_it_names_the_score(tmp_path):
    assert label_of("max_softmax") == {} and "margin" in label_of("margin")["label"]
    rows = [("m", "margin", "clean", i, i + 1, 5, 1.5) for i in range(3)]
    pd.DataFrame(rows, columns=HISTOGRAM).to_csv(tmp_path / "h.csv", index=False)
    draw_confidence(str(tmp_path / "h.csv"), [str(tmp_path / "h.svg")])
    assert (tmp_path / "h.svg").stat().st_size > 0


def test_the_four_tables(clean, transfers, tmp_path):
    attack = transfers({("m", "eps"): [0, 1]})
    attack.logits[:] = np.array([[9, 0], [0, 9]], np.float32)
    names = ["margin", "max_softmax"]
    paths = [str(tmp_path / f"m/{test}.parquet") for test in ("clean", "x")]
    write_records(paths[0], clean)
    write_records(paths[1], scored(attack, names))
    outputs = {
        n: str(tmp_path / f"{n}.csv") for n in ("by_kind", "by_set", "by_score", "histogram")
    }
    options = {key: value for key, value in OPTIONS.items() if key != "score"}
    kinds = {"clean": "clean", "x": "adversarial"}
    tabulate_dar(paths, kinds, names, options, SEED, outputs)
    table = pd.read_csv(outputs["by_kind"]).set_index("kind")
    # The mistake among the clean images is rejected; the one under attack is not.
    assert table[VALUE].to_dict() == {"clean": 100.0, "adversarial": 50.0, "mean": 75.0}
    assert {
        (s, c, n) for s, c, n in table[["score", "calibration", "n_calibration"]].to_numpy()
    } == {("margin", "clean", 20)}
    assert pd.read_csv(outputs["by_set"])[VALUE].tolist() == [100.0, 50.0]
    by_score = pd.read_csv(outputs["by_score"])
    assert by_score["score"].tolist() == ["margin"] * 3 + ["max_softmax"] * 3
    # Of two classes both scores put images in one order.
    assert by_score[VALUE].tolist() == [100.0, 50.0, 75.0] * 2
    assert pd.read_csv(outputs["histogram"])["count"].sum() == 22
