"""Two studies that differ in one cell, put on disk and compared."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from robusteval.records import failed, write_records
from workflow_scripts._diff import diff, different

N = 200
RIGHT, WRONG = np.zeros(N, int), np.ones(N, int)
HALF = np.arange(N) % 2


@pytest.fixture
def study(tmp_path, records):
    """Write a study of one model, "net", with the answers to two tests and one set unknown."""

    def write(name, clean, corrupt, **settings):
        folder = tmp_path / name
        unknown = records({("blobs", 0): RIGHT[:5]}, labels=[-1] * 5, ids=[-1] * 5)
        cells = {"clean": clean, "corruptions": corrupt, "unknown": unknown}
        for test, cell in cells.items():
            if cell is not None:
                write_records(folder / f"records/net/{test}.parquet", cell)
        (folder / "study.yaml").write_text(yaml.safe_dump({"study": name, **settings}))
        return folder

    return write


@pytest.fixture
def fogs(records):
    """Make records of fog at two severities."""
    return lambda one, two: records({("fog", 1): one, ("fog", 2): two})


def clean_of(records, predictions, **settings):
    made = records({("clean", 0): predictions})
    return replace(made, settings=settings)


def test_what_changed_beyond_chance_and_what_did_not(study, records, fogs):
    a = study("a", clean_of(records, HALF), fogs(RIGHT, HALF), seed=1)
    better = np.where(np.arange(N) < 20, 0, HALF)  # ten images put right, none spoilt
    b = study("b", clean_of(records, better), fogs(RIGHT, HALF), seed=1)
    text = diff(a, b)
    assert "Changed beyond chance: 1 of 2 comparisons" in text
    line = next(line for line in text.splitlines() if "net, clean, clean" in line)
    assert "50.00% -> 55.00%  +5.00  n = 200; right in A only 0, in B only 10" in line
    assert f"p = {2 * 2 * 0.5**10:.2g}" in line  # two sides, two comparisons, ten images
    assert "Within chance: 1, of which 1 did not move at all" in text
    assert "not compared, without known classes: unknown" in text


def test_a_test_of_several_severities_is_resampled_by_image(study, records, fogs):
    a = study("a", clean_of(records, HALF), fogs(RIGHT, WRONG))
    b = study("b", clean_of(records, HALF), fogs(RIGHT, HALF))
    line = next(line for line in diff(a, b).splitlines() if "net, corruptions, fog" in line)
    assert "50.00% -> 75.00%  +25.00  n = 200; 95% interval" in line
    assert diff(a, b) == diff(a, b) != diff(a, b, seed=1)


def test_settings_of_studies_and_of_cells(study, records, fogs):
    a = study("a", clean_of(records, HALF, n=200, eps=0.1), None, models=["net", "old"], seed=1)
    b = study("b", clean_of(records, HALF, n=200, eps=0.2), None, models=["net", "new"])
    text = diff(a, b)
    assert "models: only A: old; only B: new" in text
    assert "seed: 1 -> not given" in text
    assert "eps: 0.1 -> 0.2 (net on clean)" in text
    assert "  n:" not in text


def test_lists_and_mappings_by_their_keys():
    a, b = (
        {"counts": {"clean": 1, "x": 2}, "t": [1, 2]},
        {"counts": {"clean": 3, "x": 2}, "t": [2, 1]},
    )
    assert list(different(a, b)) == ["  counts.clean: 1 -> 3", "  t: another order"]
    assert list(different(a, a)) == []


def test_a_broken_cell_and_other_images_are_said_and_not_compared(study, records, fogs):
    a = study("a", failed("out of memory", {}), fogs(RIGHT, HALF))
    other = records({("fog", 1): RIGHT, ("fog", 2): HALF}, ids=5_000 + np.arange(N))
    b = study("b", clean_of(records, HALF), other)
    text = diff(a, b)
    assert "net, clean: not compared, out of memory" in text
    assert "net, corruptions: not compared, no image in common" in text
    assert "Changed beyond chance: 0 of 0 comparisons" in text


def test_cells_of_one_study_only(study, records, fogs):
    a = study("a", clean_of(records, HALF), None)
    b = study("b", clean_of(records, HALF), fogs(RIGHT, HALF))
    assert "only in B: net on corruptions" in diff(a, b)


def test_nothing_in_common_and_no_study(study, records, tmp_path):
    a = study("a", clean_of(records, HALF), None)
    (tmp_path / "c/records").mkdir(parents=True)
    with pytest.raises(ValueError, match="no model and test in common: net on clean"):
        diff(a, tmp_path / "c")
    with pytest.raises(ValueError, match="no records in it; a folder as results/demo"):
        diff(a, Path("nowhere"))
