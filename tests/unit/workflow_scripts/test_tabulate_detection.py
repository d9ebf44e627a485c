import pandas as pd
import pytest

from robusteval.records import failed, write_records
from workflow_scripts.tabulate_detection import (
    COLUMNS,
    KNOWN_POSITIVE,
    UNKNOWN_POSITIVE,
    rows,
    tabulate_detection,
)

AUROC = "auroc_pct_unknown_positive_higher_better"


@pytest.fixture
def known(records):
    return records({("clean", 0): [0] * 4}, logits=[1, 5, 6, 7])


@pytest.fixture
def unknown(records):
    """Make an image set that overlaps with the known one, and one that is apart from it."""
    said = {("near", 0): [0] * 5, ("far", 0): [0] * 2}
    frame = records(said, labels=None, logits=[0.5, 2, 3, 4, 0.1, 0.2, 0.3])
    frame.frame["label"] = -1
    return frame


def test_the_two_conventions_are_not_swapped(known, unknown):
    near, _ = rows({"m": known}, {("m", "novel"): unknown})
    assert (near["unknown"], near["n_known"], near["n_unknown"]) == ("near", 4, 5)
    assert near[AUROC] == 85.0  # of 20 pairs 2 + 5 + 5 + 5 are in order
    assert near[KNOWN_POSITIVE] == 60.0  # to accept all known ones from 1 on takes in 2, 3 and 4
    assert near[UNKNOWN_POSITIVE] == 25.0  # to flag all unknown ones up to 4 flags 1
    # Wilson's intervals of 3 of 5 unknown and of 1 of 4 known images, the negatives of each.
    assert near[f"{KNOWN_POSITIVE}_wilson95_low"] == 23.07
    assert near[f"{KNOWN_POSITIVE}_wilson95_high"] == 88.24
    assert near[f"{UNKNOWN_POSITIVE}_wilson95_low"] == 4.56
    assert near[f"{UNKNOWN_POSITIVE}_wilson95_high"] == 69.94


def test_a_separable_set(known, unknown):
    _, far = rows({"m": known}, {("m", "novel"): unknown})
    assert (far["unknown"], far["n_known"], far["n_unknown"]) == ("far", 4, 2)
    assert (far[AUROC], far[KNOWN_POSITIVE], far[UNKNOWN_POSITIVE]) == (100.0, 0.0, 0.0)


def test_a_failure_of_either_side_is_said(known, unknown):
    for clean, novel in ((failed("NaN", {}), unknown), (known, failed("NaN", {}))):
        (row,) = rows({"m": clean}, {("m", "novel"): novel})
        assert (row["n_known"], row["n_unknown"], row["status"]) == (0, 0, "NaN")
        assert AUROC not in row


def test_the_table_is_written(known, unknown, tmp_path):
    paths = [tmp_path / "m/clean.parquet", tmp_path / "m/novel.parquet"]
    write_records(paths[0], known)
    write_records(paths[1], unknown)
    tabulate_detection([str(paths[0])], [str(paths[1])], str(tmp_path / "detection.csv"))
    table = pd.read_csv(tmp_path / "detection.csv")
    assert list(table) == COLUMNS
    assert table[AUROC].tolist() == [85.0, 100.0]
