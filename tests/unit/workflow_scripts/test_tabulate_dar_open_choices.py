"""What the choices of DAR and its threshold move: the sensitivity table and the curve."""

import numpy as np
import pandas as pd
import pytest

from robusteval.records import failed, write_records
from robusteval.seeds import generator
from workflow_scripts._dar import KNOWN, UNKNOWN, decide, means
from workflow_scripts.draw_dar_curve import draw_dar_curve
from workflow_scripts.score import scored
from workflow_scripts.tabulate_dar_curve import (
    KNOWN_VALUE,
    ONE_SIDED,
    UNKNOWN_VALUE,
    rows,
    tabulate_dar_curve,
)
from workflow_scripts.tabulate_dar_sensitivity import (
    COLUMNS,
    DIFFERENCE,
    choices,
    tabulate_dar_sensitivity,
)

KINDS = {"clean": "clean", "fog": "corrupt", "novel": "novel"}
SCORES = ["max_softmax", "energy"]
OPTIONS = {
    "calibration": "clean",
    "mask": "correct",
    "target_rate": 0.9,
    "rejected_mistake": "right",
    "averaging": "kinds",
}
ALL = {**OPTIONS, "score": "max_softmax"}
POINT = 0.011  # two values of two decimals, each rounded by half of 0.01


@pytest.fixture
def cells(records):
    """Sets of one model of 200 clean, 2 x 100 corrupt and 50 unknown images."""
    rng = generator(1, "open choices")
    sizes = {"clean": (200,), "fog": (100, 100), "novel": (50,)}
    found = {}
    for test, counts in sizes.items():
        n = sum(counts)
        said = {(test, i): (rng.random(k) < 0.25).astype(int) for i, k in enumerate(counts)}
        found[test] = records(said, ids=None)
        lead = np.abs(rng.normal(2.0, 1.5, n)) * np.where(found[test].frame["prediction"], 0.6, 1)
        found[test].logits[:, 0] = lead + rng.normal(0, 2, n)
        found[test].logits[:, 1] = found[test].logits[:, 0] - lead
        if test == "novel":
            found[test].frame["label"] = -1
    return {test: scored(records, SCORES) for test, records in found.items()}


@pytest.fixture
def paths(cells, tmp_path):
    for test, records in cells.items():
        write_records(tmp_path / f"m/{test}.parquet", records)
    return [str(tmp_path / f"m/{test}.parquet") for test in cells]


@pytest.fixture
def table(paths, tmp_path):
    tabulate_dar_sensitivity(paths, KINDS, SCORES, OPTIONS, 1, str(tmp_path / "s.csv"))
    return pd.read_csv(tmp_path / "s.csv")


def test_every_choice_has_a_row_for_each_kind_and_the_studys_own_moves_nothing(table):
    assert list(table) == COLUMNS
    listed = list(choices(ALL, SCORES))
    assert len(listed) == len(set(listed)) == 2 + 2 + 2 + 3 + 2 + 3
    assert len(table) == len(listed) * 4 and (table["status"] == "ok").all()
    own = table[table["of_study"] == "yes"]
    assert len(own) == 6 * 4
    assert (own.filter(like="difference") == 0).all(axis=None)


def test_a_target_rate_of_the_studys_own_is_among_the_choices():
    listed = [choice for option, choice in choices({**ALL, "target_rate": 0.8}, SCORES)
              if option == "target_rate"]  # fmt: skip
    assert listed == [0.9, 0.95, 0.99, 0.8]


def test_each_row_is_what_a_study_of_that_choice_would_say(table, cells):
    for row in table.to_dict("records"):
        choice = float(row["choice"]) if row["option"] == "target_rate" else row["choice"]
        options = {**ALL, row["option"]: choice}
        sets = decide(cells, KINDS, options, 1).sets
        mean = means(sets, options["averaging"])[row["kind"]].columns()
        assert {key: row[key] for key in mean} == mean


def test_a_stricter_threshold_takes_from_known_and_gives_to_unknown(table):
    part = table[table["option"] == "target_rate"].copy()
    part["choice"] = part["choice"].astype(float)
    novel = part[part["kind"] == "novel"].sort_values("choice")[DIFFERENCE]
    assert novel.is_monotonic_decreasing and novel.iloc[-1] < 0
    wrong = table[(table["option"] == "rejected_mistake") & (table["choice"] == "wrong")]
    moved = wrong.set_index("kind")[DIFFERENCE]
    assert moved["clean"] < 0 and moved["corrupt"] < 0 and moved["novel"] == 0


def test_differences_are_those_of_the_values_and_paired(table):
    base = table[table["of_study"] == "yes"].groupby("kind")["dar_pct_higher_better"].first()
    moved = table["dar_pct_higher_better"] - table["kind"].map(base)
    assert (moved - table[DIFFERENCE]).abs().max() < POINT
    # Of other images it would be wider than either value's own, where that is not at an end.
    wide = table[(table["option"] == "target_rate") & (table["kind"] != "novel")]
    width = wide["difference_high95_points"] - wide["difference_low95_points"]
    assert (width < wide["high95_pct"] - wide["low95_pct"]).all()


def test_a_model_without_a_threshold_has_rows_that_say_so(tmp_path, records):
    few = scored(records({("clean", 0): [0] * 5}), SCORES)
    write_records(tmp_path / "m/clean.parquet", few)
    path = str(tmp_path / "s.csv")
    tabulate_dar_sensitivity(
        [str(tmp_path / "m/clean.parquet")], {"clean": "clean"}, SCORES, OPTIONS, 1, path
    )
    found = pd.read_csv(path)
    assert found["status"].str.contains("calibration images: expected at least 20").all()
    assert found[DIFFERENCE].isna().all()


@pytest.mark.parametrize("calibration", ["clean", "held_out"])
@pytest.mark.parametrize("averaging", ["kinds", "sets", "images"])
def test_the_curve_goes_from_accuracy_to_rejecting_all_through_the_studys_dar(
    cells, calibration, averaging
):
    options = {**ALL, "calibration": calibration, "averaging": averaging}
    found = list(rows("m", cells, KINDS, options, 1))
    first, last = found[0], found[-1]
    sets = decide(cells, KINDS, options, 1).sets
    assert (first["threshold"], last["threshold"]) == (-np.inf, np.inf)
    assert (first[UNKNOWN_VALUE], last[UNKNOWN_VALUE]) == (0.0, 100.0)
    assert (first["accepted_pct_of_clean"], last["accepted_pct_of_clean"]) == (100.0, 0.0)
    # To accept all is plain accuracy, to reject all what is left of it.
    assert first[KNOWN_VALUE] + last[KNOWN_VALUE] == pytest.approx(100, abs=POINT)
    (own,) = [row for row in found if row["of_study"] == "yes"]
    for kinds, value in ((KNOWN, KNOWN_VALUE), (UNKNOWN, UNKNOWN_VALUE)):
        mean = means([one for one in sets if one.kind in kinds], averaging)["mean"]
        assert own[value] == round(100 * mean.value, 2)
    unknown = [row[UNKNOWN_VALUE] for row in found]
    assert unknown == sorted(unknown) and len({row["threshold"] for row in found}) == len(found)


def test_without_unknown_images_or_threshold_there_is_no_curve(cells, paths, tmp_path):
    known = {test: cells[test] for test in ("clean", "fog")}
    (row,) = rows("m", known, KINDS, ALL, 1)
    assert row["status"] == ONE_SIDED and row["n_known"] == 0
    (row,) = rows("m", {**cells, "fog": failed("NaN", {})}, KINDS, ALL, 1)
    assert row["status"] == "NaN"
    path = str(tmp_path / "curve.csv")
    tabulate_dar_curve(paths[:2], KINDS, SCORES, OPTIONS, 1, path)
    draw_dar_curve(path, [str(tmp_path / "none.svg")])
    assert (tmp_path / "none.svg").stat().st_size > 0
    tabulate_dar_curve(paths, KINDS, SCORES, OPTIONS, 1, path)
    assert len(pd.read_csv(path)) > 50
