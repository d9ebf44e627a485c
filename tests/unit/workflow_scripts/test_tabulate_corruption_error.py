import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from robusteval.corruptions._parts import FIFTEEN, MNIST_FIFTEEN
from robusteval.published.corruption_errors import CorruptionErrors, corruption_errors
from robusteval.published.rows import read_imported
from robusteval.records import Records, failed, write_records
from workflow_scripts.tabulate_corruption_error import (
    VALUE,
    by_severity,
    means,
    tabulate_corruption_error,
)

MCE, RELATIVE = "mce_pct_lower_better", "relative_mce_pct_lower_better"
MEAN = "mean_error_pct_lower_better"
PUBLISHED = Path(__file__).parents[3] / "config/published"
WRONG = {0.0: [0, 0, 0, 0], 0.25: [1, 0, 0, 0], 0.5: [0, 1, 1, 0], 0.75: [0, 1, 1, 1]}


@pytest.fixture
def corrupt(records):
    """Make records of four images with the errors of fog and of snow at two severities."""

    def make(fog, snow):
        said = {("fog", s): WRONG[e] for s, e in enumerate(fog, 1)}
        said |= {("snow", s): WRONG[e] for s, e in enumerate(snow, 1)}
        return records(said)

    return make


@pytest.fixture
def clean(records):
    """Make records of those four images with an error, and of two others that are wrong."""
    return lambda error: records({("clean", 0): [1, *WRONG[error], 1]}, ids=[1, 10, 11, 12, 13, 2])


def row_of(model, cells, clean_cells):
    return {row["model"]: row for row in means(cells, clean_cells, "base")}[model]


@pytest.fixture
def cells(corrupt):
    return {
        ("base", "c"): corrupt([0.25, 0.75], [0.25, 0.25]),
        ("m", "c"): corrupt([0.75, 0.5], [0.25, 0.5]),
    }


def test_errors_by_severity(corrupt):
    rows = list(by_severity({("m", "c"): corrupt([0.25, 0.75], [0.0, 0.5])}))
    assert [(r["corruption"], r["severity"], r[VALUE]) for r in rows] == [
        ("fog", 1, 25.0),
        ("fog", 2, 75.0),
        ("snow", 1, 0.0),
        ("snow", 2, 50.0),
    ]
    # Wilson's interval of 2 wrong of 4: 0.5 +- 0.34996.
    assert (rows[3]["wilson95_low_pct"], rows[3]["wilson95_high_pct"]) == (15.0, 85.0)
    assert {(r["model"], r["test"], r["n"], r["status"]) for r in rows} == {("m", "c", 4, "ok")}
    assert {r["part"] for r in rows} == {"fifteen"}


def test_a_failed_cell_has_a_row_without_errors():
    cells = {("m", "c"): failed("NaN", {}), ("base", "c"): failed("NaN", {})}
    assert next(iter(by_severity(cells))) == {"model": "m", "test": "c", "n": 0, "status": "NaN"}
    row = row_of("m", cells, {})
    named = {"baseline": "base", "baseline_source": "a model of this study"}
    assert row == {"model": "m", "test": "c", **named, "n_per_cell": 0, "status": "NaN"}


def test_means_against_the_baseline(cells, clean):
    clean_cells = {"base": clean(0.0), "m": clean(0.25)}
    row = row_of("m", cells, clean_cells)
    assert (row["corruptions"], row["severities"], row["n_per_cell"]) == (2, 2, 4)
    assert (row["part"], row["corruptions_published"], row["corruptions_in_mce"]) == (
        "fifteen", 15, 2,
    )  # fmt: skip
    assert row[MEAN] == 50.0  # (0.75 + 0.5 + 0.25 + 0.5) / 4
    assert row[MCE] == 137.5  # fog 1.25 / 1, snow 0.75 / 0.5, and not the ratio of sums, 2 / 1.5
    assert row[RELATIVE] == 62.5  # fog (1.25 - 0.5) / 1, snow (0.75 - 0.5) / 0.5
    assert row["status"] == "ok"
    own = row_of("base", cells, clean_cells)
    assert (own[MEAN], own[MCE], own[RELATIVE]) == (37.5, 100.0, 100.0)


def test_a_failed_baseline_leaves_the_mean_error(cells, clean):
    reasons = (
        ({**cells, ("base", "c"): failed("NaN", {})}, {"base": clean(0.0), "m": clean(0.25)}),
        (cells, {"base": failed("NaN", {}), "m": clean(0.25)}),
    )
    for changed, clean_cells in reasons:
        row = row_of("m", changed, clean_cells)
        assert row["status"] == "baseline base: NaN"
        assert row[MEAN] == 50.0
        assert MCE not in row and RELATIVE not in row


def test_a_corruption_that_costs_the_baseline_nothing_has_no_relative_mce(cells, clean):
    # The baseline's error in snow is 0.25 at both severities, as it is without.
    row = row_of("m", cells, {"base": clean(0.25), "m": clean(0.25)})
    assert math.isnan(row[RELATIVE]) and row["no_relative_mce_for"] == "snow"
    assert row[MCE] == 137.5 and row["no_mce_for"] == ""


def test_a_baseline_without_errors_has_no_mce(cells, corrupt, clean):
    changed = {**cells, ("base", "c"): corrupt([0.25, 0.25], [0.0, 0.0])}
    row = row_of("m", changed, {"base": clean(0.0), "m": clean(0.0)})
    assert math.isnan(row[MCE]) and math.isnan(row[RELATIVE])
    assert row["no_mce_for"] == row["no_relative_mce_for"] == "snow"
    assert row[MEAN] == 50.0


def test_both_tables_are_written(cells, clean, tmp_path):
    paths = {"records": [], "clean": []}
    for (model, _), r in cells.items():
        paths["records"].append(str(tmp_path / f"{model}/c.parquet"))
        write_records(paths["records"][-1], r)
        paths["clean"].append(str(tmp_path / f"{model}/clean.parquet"))
        write_records(paths["clean"][-1], clean(0.0))
    errors, mean = tmp_path / "errors.csv", tmp_path / "mean.csv"
    tabulate_corruption_error(paths["records"], paths["clean"], "base", str(errors), str(mean))
    assert pd.read_csv(errors)[VALUE].tolist() == [25.0, 75.0, 25.0, 25.0, 75.0, 50.0, 25.0, 50.0]
    assert pd.read_csv(mean).set_index("model")[MCE].to_dict() == {"base": 100.0, "m": 137.5}


@pytest.fixture
def five(records):
    """Make records of four images at five severities, of {corruption: error at each}."""

    def make(errors):
        said = {(c, s): WRONG[e] for c, e in errors.items() for s in (1, 2, 3, 4, 5)}
        return records(said)

    return make


def published(**errors):
    return CorruptionErrors("net", "imagenet_c", 0.25, errors, dict.fromkeys(errors, "?"), "here")


def parts(rows):
    return {row["part"]: row for row in rows}


def test_extra_corruptions_stand_apart(five, clean):
    cells = {
        ("base", "c"): five({"fog": 0.5, "spatter": 0.25, "mine": 0.5}),
        ("m", "c"): five({"fog": 0.25, "spatter": 0.75, "mine": 0.5}),
    }
    rows = means(cells, {"base": clean(0.0), "m": clean(0.0)}, "base")
    rows = parts(row for row in rows if row["model"] == "m")
    assert list(rows) == ["fifteen", "extra", "other"]
    assert [row[MEAN] for row in rows.values()] == [25.0, 75.0, 50.0]
    assert [row[MCE] for row in rows.values()] == [50.0, 300.0, 100.0]
    assert [row["corruptions"] for row in rows.values()] == [1, 1, 1]
    assert [row["corruptions_published"] for row in rows.values()] == [15, 4, None]


def test_a_published_baseline(five, clean):
    cells = {("m", "c"): five({"snow": 0.5, "fog": 0.75, "frost": 0.25, "spatter": 0.5})}
    theirs = published(fog=0.5, frost=0.75)  # none for snow and spatter
    rows = parts(means(cells, {"m": clean(0.25)}, "net", published=theirs))
    row = rows["fifteen"]
    assert (row["baseline"], row["baseline_source"]) == ("net", "here")
    assert (row["corruptions"], row["corruptions_in_mce"]) == (3, 2)
    assert row[MEAN] == 50.0  # over all three
    assert row[MCE] == 91.67  # (0.75 / 0.5 + 0.25 / 0.75) / 2
    assert row[RELATIVE] == 100.0  # (0.5 / 0.25 + 0 / 0.5) / 2
    assert row["status"] == "ok"
    row = rows["extra"]
    assert (row["corruptions_in_mce"], row[MEAN]) == (0, 50.0)
    assert row["status"] == "baseline net: has none of these" and MCE not in row


def test_a_published_baseline_of_another_family_or_other_severities(five, corrupt, clean):
    cells = {("m", "c"): five({"fog": 0.75})}
    theirs = published(fog=0.5, snow=0.5)
    for families, status in (
        ({"c": "imagenet_c"}, "ok"),
        (None, "ok"),
        ({"c": "cifar10_c"}, "baseline net: published for imagenet_c, the test has cifar10_c"),
    ):
        (row,) = means(cells, {"m": clean(0.0)}, "net", families=families, published=theirs)
        assert row["status"] == status
        assert row.get(MCE) == (150.0 if status == "ok" else None)
        assert row[MEAN] == 75.0
    cells = {("m", "c"): corrupt([0.25, 0.75], [0.0, 0.5])}
    (row,) = means(cells, {"m": clean(0.0)}, "net", published=theirs)
    assert row["status"] == "baseline net: a mean over 5 severities, the test has 2"
    assert MCE not in row and row[MEAN] == 37.5


def test_fifteen_corruptions_of_one_severity(records, clean):
    def mnist(error):
        return records({(name, 1): WRONG[error] for name in MNIST_FIFTEEN})

    cells = {("base", "c"): mnist(0.5), ("m", "c"): mnist(0.75)}
    families, clean_cells = {"c": "mnist_c"}, {"base": clean(0.25), "m": clean(0.25)}
    rows = list(means(cells, clean_cells, "base", families=families))
    assert [row["part"] for row in rows] == ["fifteen", "fifteen"]  # spatter is one of them
    row = rows[1]
    assert (row["corruptions"], row["corruptions_published"], row["severities"]) == (15, 15, 1)
    assert (row[MEAN], row[MCE], row[RELATIVE]) == (75.0, 150.0, 200.0)
    errors = list(by_severity(cells, families))
    assert len(errors) == 30 and {(e["part"], e["severity"]) for e in errors} == {("fifteen", 1)}


def test_published_accuracies_give_the_published_mce():
    """Records of 5,000 images with RobustBench's accuracies of the plain ResNet-50."""
    rows = [r for r in read_imported(PUBLISHED / "tables") if r.model == "Standard_R50"]
    share = {r.condition: r.percent for r in rows if r.what == "accuracy"}
    (clean_accuracy,) = (r.percent for r in rows if r.test == "imagenet_validation")
    ids = np.arange(5_000)
    frame = pd.concat(
        pd.DataFrame(
            {"image_id": ids, "label": 0, "condition": corruption, "severity": severity}
        ).assign(prediction=(ids >= round(50 * share[f"{corruption} {severity}"])).astype(int))
        for corruption in FIFTEEN
        for severity in (1, 2, 3, 4, 5)
    )
    own = pd.DataFrame(
        {"image_id": ids, "label": 0, "prediction": (ids >= round(50 * clean_accuracy)).astype(int)}
    )
    cells = {("r50", "c"): Records(frame, np.empty((len(frame), 0), np.float32))}
    clean_cells = {"r50": Records(own, np.empty((5_000, 0), np.float32))}
    theirs = corruption_errors(PUBLISHED / "alexnet_corruption_error.csv", "alexnet_robustbench")
    (row,) = means(cells, clean_cells, theirs.name, families={"c": "imagenet_c"}, published=theirs)
    printed = {r.what: r.percent for r in rows if r.condition.startswith("fifteen")}
    assert row[MCE] == printed["mce"] and row[MEAN] == round(100 - printed["accuracy"], 2)
    assert (row["n_per_cell"], row["corruptions_in_mce"]) == (5_000, 15)
    assert row["clean_error_pct_same_images"] == round(100 - clean_accuracy, 2)


def test_a_baseline_is_looked_up_where_the_study_has_no_such_model(five, clean, tmp_path):
    records, clean_cell = str(tmp_path / "m/c.parquet"), str(tmp_path / "m/clean.parquet")
    write_records(records, five({"fog": 0.75, "saturate": 0.5}))
    write_records(clean_cell, clean(0.25))
    errors, mean = str(tmp_path / "errors.csv"), str(tmp_path / "mean.csv")
    file = str(PUBLISHED / "alexnet_corruption_error.csv")

    def tabulate(baseline, **settings):
        tabulate_corruption_error([records], [clean_cell], baseline, errors, mean, **settings)
        return pd.read_csv(mean).set_index("part")

    theirs = corruption_errors(file, "alexnet_imagenet_c")
    table = tabulate("alexnet_imagenet_c", families={"c": "imagenet_c"}, published=file)
    assert table.loc["fifteen", MCE] == round(75 / theirs.errors["fog"], 2)
    assert table.loc["extra", MCE] == round(50 / theirs.errors["saturate"], 2)
    assert table.loc["fifteen", RELATIVE] == round(50 / (theirs.errors["fog"] - theirs.clean), 2)
    assert (table["baseline"] == "alexnet_imagenet_c").all()
    assert table.loc["fifteen", "baseline_source"].startswith("Hendrycks & Dietterich 2019")
    table = tabulate("m", published=file)  # a model of the study comes first
    assert (table[MCE] == 100.0).all() and (
        table["baseline_source"] == "a model of this study"
    ).all()
    with pytest.raises(ValueError, match=r"baseline: 'alex' is no model of the study \(m\), and"):
        tabulate("alex")
    with pytest.raises(
        ValueError, match="no published errors of 'alex'; there are alexnet_imagenet_c"
    ):
        tabulate("alex", published=file)
