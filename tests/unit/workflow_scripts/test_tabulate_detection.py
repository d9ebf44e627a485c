import numpy as np
import pandas as pd
import pytest

from robusteval.records import Records, failed, write_records
from workflow_scripts.score import scored
from workflow_scripts.tabulate_detection import (
    AUPR_KNOWN,
    AUPR_UNKNOWN,
    AUROC,
    COLUMNS,
    GROUPS,
    KNOWN_POSITIVE,
    OSCR,
    SPECTRUM,
    UNKNOWN_POSITIVE,
    groups,
    rows,
    tabulate_detection,
)

KINDS = {"clean": "clean", "fog": "corrupt", "novel": "novel", "noise": "unrecognisable"}
SCORES = ["max_softmax"]


@pytest.fixture
def clean(records):
    return scored(records({("clean", 0): [0, 1, 0, 0]}, logits=[1, 5, 6, 7]), SCORES)


@pytest.fixture
def novel(records):
    """An image set that overlaps with the known one, and one that is apart from it."""
    said = {("close", 0): [0] * 5, ("apart", 0): [0] * 2}
    frame = records(said, labels=None, logits=[0.5, 2, 3, 4, 0.1, 0.2, 0.3])
    frame.frame["label"] = -1
    return scored(frame, SCORES)


@pytest.fixture
def cells(clean, novel, records):
    fog = records({("fog", 1): [0, 0], ("fog", 2): [0, 0]}, logits=[0.15, 8, 8, 8])
    return {"clean": clean, "novel": novel, "fog": scored(fog, SCORES)}


def test_the_two_conventions_are_not_swapped(cells):
    close, _ = rows("m", cells, KINDS, SCORES, {})
    assert (close["unknown"], close["n_known"], close["n_unknown"]) == ("close", 4, 5)
    assert close["known"] == "clean"
    assert close[AUROC] == 85.0  # of 20 pairs 2 + 5 + 5 + 5 are in order
    assert close[OSCR] == 60.0  # and 2 + 5 + 5 with a known image that is right
    assert close[KNOWN_POSITIVE] == 60.0  # to accept all known ones from 1 on takes in 2, 3 and 4
    assert close[UNKNOWN_POSITIVE] == 25.0  # to flag all unknown ones up to 4 flags 1
    # Wilson's intervals of 3 of 5 unknown and of 1 of 4 known images, the negatives of each.
    assert close[f"{KNOWN_POSITIVE}_wilson95_low"] == 23.07
    assert close[f"{KNOWN_POSITIVE}_wilson95_high"] == 88.24
    assert close[f"{UNKNOWN_POSITIVE}_wilson95_low"] == 4.56
    assert close[f"{UNKNOWN_POSITIVE}_wilson95_high"] == 69.94
    # Precision at each step of recall: 7, 6, 5 first, then 4, 3, 2, and 1 with 4 of 7 known;
    # from the other end 0.1, 0.5, then 1, and 2, 3, 4 with 3 of 4, 4 of 5, 5 of 6 unknown.
    assert close[AUPR_KNOWN] == round(100 * (3 + 4 / 7) / 4, 2)
    assert close[AUPR_UNKNOWN] == round(100 * (2 + 3 / 4 + 4 / 5 + 5 / 6) / 5, 2)
    assert close[f"{AUROC}_delong95_low"] < 85 < close[f"{AUROC}_delong95_high"]


def test_a_separable_set(cells):
    _, apart = rows("m", cells, KINDS, SCORES, {"apart": "far"})
    assert (apart["unknown"], apart["n_known"], apart["n_unknown"]) == ("apart", 4, 2)
    assert (apart[AUROC], apart[KNOWN_POSITIVE], apart[UNKNOWN_POSITIVE]) == (100.0, 0.0, 0.0)
    assert (apart[AUPR_KNOWN], apart[AUPR_UNKNOWN], apart[OSCR]) == (100.0, 100.0, 75.0)
    assert apart["distance"] == "far"


def test_in_full_spectrum_corrupted_images_are_known(cells):
    _, apart = rows("m", cells, KINDS, SCORES, {}, SPECTRUM)
    assert (apart["known"], apart["n_known"]) == ("clean and corrupt", 8)
    assert apart[AUROC] == 87.5  # the one at 0.15 is behind both
    assert apart[OSCR] == 75.0  # the other six that are right are ahead of both


def test_a_failure_of_any_side_is_said(cells):
    for test in ("clean", "novel"):
        (row,) = rows("m", {**cells, test: failed("NaN", {})}, KINDS, SCORES, {})
        assert (row["n_known"], row["n_unknown"], row["status"]) == (0, 0, "NaN")
        assert AUROC not in row
    broken = {**cells, "fog": failed("fog", {})}
    assert [r["status"] for r in rows("m", broken, KINDS, SCORES, {}, SPECTRUM)] == ["fog"]
    assert len(list(rows("m", broken, KINDS, SCORES, {}))) == 2


def test_groups_are_unweighted_means_of_sets(cells):
    found = list(rows("m", cells, KINDS, SCORES, {"close": "near", "apart": "far"}))
    table = {row["group"]: row for row in groups(found, KINDS)}
    assert list(table) == ["novel", "near", "far"]
    assert (table["novel"][AUROC], table["novel"]["sets"], table["novel"]["n_unknown"]) == (
        92.5,
        2,
        7,
    )
    assert (table["near"][AUROC], table["far"][AUROC]) == (85.0, 100.0)
    assert (table["near"][KNOWN_POSITIVE], table["novel"][KNOWN_POSITIVE]) == (60.0, 30.0)


def test_a_group_with_a_broken_set_has_no_value(cells):
    cells["noise"] = failed("NaN", {})
    (novel, noise) = groups(list(rows("m", cells, KINDS, SCORES, {})), KINDS)
    assert novel["status"] == "ok"
    assert (noise["group"], noise["status"], noise["n_unknown"]) == ("unrecognisable", "NaN", 0)
    assert list(groups([], KINDS)) == []


def test_a_shift_of_all_scores_changes_no_number(cells):
    moved = {}
    for test, records in cells.items():
        frame = records.frame.assign(max_softmax=records.frame["max_softmax"] + 100)
        moved[test] = Records(frame, records.logits)
    assert list(rows("m", moved, KINDS, SCORES, {})) == list(rows("m", cells, KINDS, SCORES, {}))


def test_the_tables_are_written(cells, tmp_path):
    for test, records in cells.items():
        write_records(tmp_path / f"m/{test}.parquet", records)
    paths = [str(tmp_path / f"m/{test}.parquet") for test in cells]
    outputs = {name: str(tmp_path / f"{name}.csv") for name in ("sets", "spectrum", "groups")}
    tabulate_detection(paths, KINDS, SCORES, {"apart": "far"}, outputs)
    table = pd.read_csv(outputs["sets"])
    assert list(table) == COLUMNS
    assert table[AUROC].tolist() == [85.0, 100.0]
    assert pd.read_csv(outputs["spectrum"])["n_known"].tolist() == [8, 8]
    found = pd.read_csv(outputs["groups"])
    assert list(found) == GROUPS
    assert found["group"].tolist() == ["novel", "far"] * 2
    assert np.isfinite(found[AUROC]).all()
    tabulate_detection(paths[:2], KINDS, SCORES, {}, outputs)
    assert pd.read_csv(outputs["spectrum"]).empty
