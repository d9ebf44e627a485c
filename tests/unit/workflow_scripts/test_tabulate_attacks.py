import math

import numpy as np
import pandas as pd
import pytest

from robusteval.records import Records, failed, write_records
from workflow_scripts._populations import COMMON, SOURCE
from workflow_scripts.tabulate_attacks import (
    ASKED,
    BROKEN,
    COLUMNS,
    NORMS,
    VALUE,
    rows,
    tabulate_attacks,
)

SIZES = [1, 2, 3, 5, 100, 200]
CLEAN = [0, 0, 0, 0, 1, 1]  # the first four images are right before the attack
CLAIMED = [True, True, True, True, True, False]
REREAD = [1, 0, 1, 1, 0, 1]  # the second and the fifth success are lost; the sixth was none


# What Square made of three images of "eps" and of one of "other".
NOTHING = Records(
    pd.DataFrame({"attack": [], "condition": [], "broken": []}), np.empty((0, 0), np.float32)
)
ANSWERS = Records(
    pd.DataFrame(
        {
            "attack": ["x"] * 4 + ["y"],
            "condition": ["eps"] * 3 + ["other", "eps"],
            "broken": [True, False, True, True, True],
        }
    ),
    np.empty((5, 0), np.float32),
)


def columns(kind, norms=NORMS):
    return [f"{norm}_{kind}_scale_0_1" for norm in norms]


@pytest.fixture
def costs(records):
    """Make the costs of attacking images with these sizes, the same for each condition."""

    def make(*conditions, claimed=CLAIMED):
        frame = records({(c, 0): [0] * 6 for c in conditions}).frame.drop(columns="prediction")
        number = np.tile(np.arange(1, 7), len(conditions))
        for scale, norm in enumerate(NORMS, 1):
            frame[norm] = scale * np.tile(np.array(SIZES, np.float64), len(conditions))
        frame = frame.assign(
            steps=1,
            forwards=number,
            backwards=2 * number,
            success=claimed * len(conditions),
            odd=np.tile([0, 1, 0, 2, 1, 0], len(conditions)),
        )
        settings = {"input_size": [2, 5, 3], "conditions": [[c, {}] for c in conditions]}
        return Records(frame, np.empty((len(frame), 0), np.float32), settings=settings)

    return make


def of(cost, verdict, before, population=SOURCE, unmasked=NOTHING, **others):
    found = rows([("m", "x", cost, verdict)], {"m": before, **others}, {"m": unmasked})
    return [row for row in found if row.get("population", population) == population]


def test_success_is_what_the_model_says_about_the_images_it_had_right(costs, records):
    backwards = records({("eps", 0): REREAD[::-1]}, ids=[15, 14, 13, 12, 11, 10])
    (row,) = of(costs("eps"), backwards, records({("clean", 0): CLEAN}))
    assert (row["model"], row["attack"], row["condition"]) == ("m", "x", "eps")
    assert (row["n"], row["attacked_source_correct"]) == (6, 4)
    assert row[VALUE] == 75.0
    # Wilson's interval of 3 of 4: (3 + 1.9207) / 7.8415 = 0.6275, half 0.24995 * sqrt(1.7104).
    assert (row["wilson95_low_pct"], row["wilson95_high_pct"]) == (30.06, 95.44)
    assert row["lost_on_reload"] == 2  # the fifth image too, which the model had wrong
    assert (row["zero_gradient_images"], row["not_finite_images"]) == (2, 1)
    for scale, (mean, median) in enumerate(
        zip(columns("mean_of_successes"), columns("median_failures_infinite"), strict=True), 1
    ):
        assert row[mean] == 3 * scale  # 1, 3 and 5
        assert row[median] == 4 * scale  # 1, 3, 5 and infinity
    assert (row["forwards_per_image"], row["backwards_per_image"]) == (3.5, 7.0)
    assert row["status"] == "ok"


def test_what_square_made_of_zero_gradients_is_that_of_the_attack_and_condition(costs, records):
    verdict, before = records({("eps", 0): REREAD}), records({("clean", 0): CLEAN})
    (row,) = of(costs("eps"), verdict, before, unmasked=ANSWERS)
    assert (row[ASKED], row[BROKEN]) == (3, 2)
    (row,) = of(costs("eps"), verdict, before)
    assert (row[ASKED], row[BROKEN]) == (0, 0)
    (row,) = of(costs("eps"), verdict, before, unmasked=failed("NaN", {}))
    assert ASKED not in row and BROKEN not in row


def test_each_condition_has_its_own_verdict(costs, records):
    verdict = records({("large", 0): [1] * 6, ("small", 0): [1, 0, 0, 0, 1, 1]})
    small, large = of(costs("small", "large"), verdict, records({("clean", 0): CLEAN}))
    assert (small["condition"], small[VALUE]) == ("small", 25.0)
    assert (large["condition"], large[VALUE]) == ("large", 100.0)
    assert all(math.isinf(small[name]) for name in columns("median_failures_infinite"))


def test_without_a_success_there_is_no_mean(costs, records):
    verdict = records({("eps", 0): [0] * 6})
    (row,) = of(costs("eps"), verdict, records({("clean", 0): CLEAN}))
    assert (row[VALUE], row["lost_on_reload"]) == (0.0, 5)
    assert all(math.isnan(row[name]) for name in columns("mean_of_successes"))


def test_without_an_image_to_attack_there_is_no_rate(costs, records):
    (row,) = of(costs("eps"), records({("eps", 0): REREAD}), records({("clean", 0): [1] * 6}))
    assert (row["n"], row["attacked_source_correct"], row["status"]) == (6, 0, "ok")
    assert VALUE not in row


def test_l2_is_given_by_the_size_of_the_image_too(costs, records):
    (row,) = of(costs("eps"), records({("eps", 0): REREAD}), records({("clean", 0): CLEAN}))
    assert row["l2_mean_of_successes_scale_0_1"] == 9  # (3 + 9 + 15) / 3
    assert row["l2_per_pixel_mean_of_successes_scale_0_1"] == 0.9  # 2 x 5 pixels
    assert row["l2_per_value_mean_of_successes_scale_0_1"] == 0.3
    assert row["l2_per_value_median_failures_infinite_scale_0_1"] == 0.4


def test_a_target_must_be_reached(costs, records):
    cost = costs("eps")
    cost.frame["target"] = [1, 2, 2, 2, 1, 1]
    cost.settings["conditions"] = [["eps", {"target": "random"}]]
    verdict = records({("eps", 0): [1, 0, 2, 1, 1, 0]})
    (row,) = of(cost, verdict, records({("clean", 0): CLEAN}))
    assert (row["goal"], row["attacked_source_correct"], row[VALUE]) == ("random", 4, 50.0)
    assert row["l1_mean_of_successes_scale_0_1"] == 4  # the first and the third: (2 + 6) / 2
    assert row["lost_on_reload"] == 2  # the second, and the fourth, which is in a third class


def test_the_images_that_every_model_has_right(costs, records):
    cells = (costs("eps"), records({("eps", 0): REREAD}), records({("clean", 0): CLEAN}))
    other = records({("clean", 0): [0, 1, 0, 1, 0, 0]})
    (row,) = of(*cells, COMMON, other=other)
    assert (row["n"], row["attacked_source_correct"], row[VALUE]) == (6, 2, 100.0)
    assert row["l0_mean_of_successes_scale_0_1"] == 2  # of 1 and 3
    (own,) = of(*cells, SOURCE, other=other)
    assert own["attacked_source_correct"] == 4
    (alone,) = of(*cells, COMMON)
    assert alone == {**own, "population": COMMON}


def test_a_model_without_clean_answers_leaves_the_common_images_unknown(costs, records):
    cells = (costs("eps"), records({("eps", 0): REREAD}), records({("clean", 0): CLEAN}))
    (row,) = of(*cells, COMMON, other=failed("NaN", {}))
    assert row["status"] == "other: NaN"
    assert VALUE not in row and "attacked_source_correct" not in row
    (own,) = of(*cells, SOURCE, other=failed("NaN", {}))
    assert (own["status"], own[VALUE]) == ("ok", 75.0)


def test_a_failure_of_any_of_the_three_is_said(costs, records):
    cells = [costs("eps"), records({("eps", 0): REREAD}), records({("clean", 0): CLEAN})]
    for position in range(3):
        broken = [failed("NaN", {}) if i == position else r for i, r in enumerate(cells)]
        assert of(*broken) == [{"model": "m", "attack": "x", "n": 0, "status": "NaN"}]


def test_the_table_reads_the_verdict_on_the_models_own_images(costs, records, transfers, tmp_path):
    write_records(tmp_path / "adversarial/m/x/records.parquet", costs("eps"))
    others = {("other", "eps"): [0] * 6, ("m", "eps"): REREAD}
    write_records(tmp_path / "transfer/x/m.parquet", transfers(others))
    write_records(tmp_path / "records/m/clean.parquet", records({("clean", 0): CLEAN}))
    write_records(tmp_path / "unmasked/m.parquet", ANSWERS)
    tabulate_attacks(
        [str(tmp_path / "adversarial/m/x/card.json")],
        [str(tmp_path / "transfer/x/m.parquet")],
        [str(tmp_path / "records/m/clean.parquet")],
        [str(tmp_path / "unmasked/m.parquet")],
        str(tmp_path / "attacks.csv"),
    )
    table = pd.read_csv(tmp_path / "attacks.csv")
    assert list(table) == COLUMNS
    assert table[[ASKED, BROKEN]].values.tolist() == [[3, 2]] * 2
    assert table[["model", "attack", VALUE]].values.tolist() == [["m", "x", 75.0]] * 2


def test_the_gradient_of_a_defence_is_named(costs, records):
    verdict, before = records({("eps", 0): REREAD}), records({("clean", 0): CLEAN})
    (plain,) = of(costs("eps"), verdict, before)
    assert "gradient_of_defence" not in plain
    cost = costs("eps")
    cost.settings["defence"] = {"transformation": "jpeg", "gradient": "around"}
    (row,) = of(cost, verdict, before)
    assert row["gradient_of_defence"] == "around jpeg"
    queries = Records(cost.frame.assign(backwards=0), cost.logits, settings=cost.settings)
    (row,) = of(queries, verdict, before)
    assert row["gradient_of_defence"] == "none: queries alone"
