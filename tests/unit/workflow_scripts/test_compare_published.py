"""A study's tables beside published numbers, from records to verdicts."""

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from robusteval.published._row import Row
from robusteval.published.rows import write_rows
from robusteval.records import write_records
from workflow_scripts._measured import measured
from workflow_scripts.compare_published import COLUMNS, compare_published, preprocessing
from workflow_scripts.tabulate_accuracy import BY_TEST, tabulate_accuracy
from workflow_scripts.tabulate_accuracy import COLUMNS as ACCURACY
from workflow_scripts.tabulate_corruption_error import tabulate_corruption_error
from workflow_scripts.tabulate_flip_rate import MEAN as FLIPS

N = 1_000
TESTS = {
    "clean": {"kind": "clean"},
    "fogs": {"kind": "corrupt", "family": "imagenet_c", "source": "published"},
    "other": {"kind": "shifted", "sets": ["imagenet_v2"]},
    "pgd": {"kind": "adversarial"},
}
MODELS = {"net": {"builder": "timm", "arguments": {"name": "net.tag"}, "view": "plain"}}
VIEWS = {"plain": {"size": 224, "crop_fraction": 0.875, "interpolation": "bilinear"}}
IMAGES = "imagenet_validation"


def wrong(share):
    """Return N predictions of which a share is wrong; labels are 0."""
    return (np.arange(N) < round(share * N)).astype(int)


@pytest.fixture
def tables(tmp_path, records):
    """Tabulate one model: 30% wrong on clean images, 40% to 80% under fog, 45% on V2."""
    cells = {
        "clean": records({("clean", 0): wrong(0.3)}),
        "fogs": records({("fog", s): wrong(0.3 + 0.1 * s) for s in range(1, 6)}),
        "other": records({("imagenet_v2", 0): wrong(0.45)}),
    }
    paths = {test: str(tmp_path / f"net/{test}.parquet") for test in cells}
    for test, cell in cells.items():
        write_records(paths[test], cell)
    out = {
        name: str(tmp_path / f"tables/{name}.csv")
        for name in ("accuracy", "accuracy_by_test", "corruption_error", "mean_corruption_error")
    }
    tabulate_accuracy(
        list(paths.values()), [], [], ["other"], out["accuracy"], out["accuracy_by_test"]
    )
    tabulate_corruption_error(
        [paths["fogs"]],
        [paths["clean"]],
        "net",
        out["corruption_error"],
        out["mean_corruption_error"],
        families={"fogs": "imagenet_c"},
    )
    return list(out.values())


@pytest.fixture
def folder(tmp_path):
    """Write published rows as a user would; return the folder."""

    def write(*rows):
        known = ("percent", N, "", "a paper", "number quoted", "own")
        write_rows(tmp_path / "published/mine.csv", [Row(*row, *known) for row in rows])
        return str(tmp_path / "published")

    return write


def run(tables, folder, tmp_path):
    output = tmp_path / "published.csv"
    line = compare_published(tables, folder, TESTS, IMAGES, MODELS, VIEWS, str(output))
    return line, pd.read_csv(output, keep_default_na=False)


def test_what_is_measured_has_the_words_of_published_numbers(tables):
    found = {(m.what, m.test, m.condition): m.percent for m in measured(tables, TESTS, IMAGES)}
    assert found["accuracy", IMAGES, ""] == 70.0 and found["error", IMAGES, ""] == 30.0
    assert found["accuracy", "imagenet_v2", ""] == 55.0
    assert found["accuracy", "imagenet_c", "fog 3"] == 40.0
    assert found["accuracy", "imagenet_c", "fog"] == pytest.approx(40.0, abs=1e-9)  # a mean of 5
    # Fog alone is no mean over the fifteen.
    assert not [key for key in found if "fifteen" in key[2]]


def test_verdicts_and_the_line_that_sums_them_up(tables, folder, tmp_path, caplog):
    published = folder(
        ("net.tag", "accuracy", IMAGES, "", "70.0"),
        ("net.tag", "accuracy", "imagenet_c", "fog", "39.9"),
        ("net.tag", "accuracy", "imagenet_v2", "", "80.0"),
        ("unheard", "accuracy", IMAGES, "", "10.0"),
    )
    with caplog.at_level(logging.INFO, logger="job"):
        line, table = run(tables, published, tmp_path)
    assert list(table.columns) == COLUMNS
    verdicts = table.set_index("test")["verdict"].to_dict()
    assert verdicts == {IMAGES: "PASS", "imagenet_v2": "FAIL", "imagenet_c": "PASS"}
    row = table[table["test"] == "imagenet_v2"].iloc[0]
    assert (row["ours"], row["theirs"], row["difference"]) == (55.0, 80.0, -25.0)
    assert "95% interval of two samples of 1,000 images" in row["reason"]
    assert line.startswith("3 published numbers compared: 2 PASS, 0 EXPLAINED, 1 FAIL; furthest")
    assert line in caplog.messages


def test_a_row_altered_by_a_tenth_fails_where_all_images_were_taken(folder, tmp_path):
    """50,000 images, and .06 for rounding and pipelines."""
    path = tmp_path / "accuracy.csv"
    cells = {"model": "net", "test": "clean", "condition": "clean", "severity": 0, "n": 50_000}
    frame = pd.DataFrame([cells | {"accuracy_pct_higher_better": 71.13, "status": "ok"}])
    frame.reindex(columns=ACCURACY).to_csv(path, index=False)
    for printed, verdict in (("71.13", "PASS"), ("71.23", "FAIL"), ("71.03", "FAIL")):
        published = folder(("net.tag", "accuracy", IMAGES, "", printed))
        rows = Path(published, "mine.csv").read_text().replace(f",{N},", ",50000,")
        Path(published, "mine.csv").write_text(rows)
        _, table = run([str(path)], published, tmp_path)
        assert table["verdict"].tolist() == [verdict]


def test_a_misspelt_model_is_said_with_the_name_that_is_near(tables, folder, tmp_path, caplog):
    published = folder(("nett.tag", "accuracy", IMAGES, "", "70.0"))
    with caplog.at_level(logging.WARNING, logger="job"):
        line, table = run(tables, published, tmp_path)
    assert table.empty and line == "no published number is of what was measured here"
    assert "'nett.tag' is no model of this study" in caplog.text
    assert "did you mean net.tag" in caplog.text


def test_the_worst_attack_of_a_budget_and_broken_cells(tmp_path):
    path = tmp_path / "accuracy_by_test.csv"
    rows = [
        ("pgd, linf 4/255", 20.0),
        ("fgsm, linf 4/255", 30.0),
        ("worst attack, linf 4/255", 15.0),
    ]
    frame = pd.DataFrame(
        {
            "model": "net",
            "test": [t for t, _ in rows],
            "accuracy_pct_higher_better": [v for _, v in rows],
        }
    )
    frame = frame.assign(n=N, low95_pct=10.0, high95_pct=40.0, status="ok")
    frame.reindex(columns=BY_TEST).to_csv(path, index=False)
    tests = TESTS | {"fgsm": {"kind": "adversarial"}}
    (found,) = measured([str(path)], tests, IMAGES)
    assert (found.what, found.condition, found.percent) == ("robust_accuracy", "linf 4/255", 15.0)
    frame.assign(status="out of memory").reindex(columns=BY_TEST).to_csv(path, index=False)
    assert measured([str(path)], tests, IMAGES) == []


def test_flip_rates_name_their_baseline(tmp_path):
    path = tmp_path / "mean_flip_rate.csv"
    row = {"model": "net", "test": "p", "family": "imagenet_p", "part": "ten", "status": "ok"}
    row |= {"kinds": 10, "kinds_of_part": 10, "n_per_kind": N, "mfr_pct_lower_better": 58.0}
    row |= {"mean_flip_probability_pct_lower_better": 8.0, "normal95_low_pct": 7.0}
    row |= {"normal95_high_pct": 9.0, "baseline": "alexnet_imagenet_c (published)"}
    pd.DataFrame([row]).reindex(columns=FLIPS).to_csv(path, index=False)
    (found,) = measured([str(path)], {"p": {"kind": "perturbed"}}, IMAGES)
    assert (found.what, found.condition) == ("mfr", "ten, baseline alexnet_imagenet_c")
    assert (found.low, found.high) == (58 * 7 / 8, 58 * 9 / 8)


def test_tables_without_anything_published(tables, tmp_path):
    (tmp_path / "published").mkdir()
    line, table = run(tables, str(tmp_path / "published"), tmp_path)
    assert table.empty and list(table.columns) == COLUMNS and line.startswith("no published")


def test_how_images_are_brought_to_a_model():
    assert preprocessing(MODELS["net"], VIEWS) == "224 px, crop 0.875, bilinear"
    assert preprocessing({"builder": "cnn"}, VIEWS) == ""
