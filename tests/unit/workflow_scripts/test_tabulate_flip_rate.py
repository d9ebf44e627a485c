import math

import numpy as np
import pandas as pd
import pytest

from robusteval.published._row import Row
from robusteval.published.rows import write_rows
from robusteval.records import Records, failed, write_records
from workflow_scripts._perturbed import measured
from workflow_scripts.evaluate_sequences import rows_of
from workflow_scripts.tabulate_flip_rate import (
    COLUMNS,
    DISTANCE,
    MEAN,
    MEAN_DISTANCE,
    MEAN_VALUE,
    MFR,
    MT5D,
    RATE,
    VALUE,
    tabulate_flip_rate,
)

# Two sequences of five frames: 3 flips of 8 from frame to frame, 4 of 8 from the first.
FLIPS = [[0, 0, 1, 1, 0], [2, 2, 2, 3, 3]]
ONE = [[0, 0, 0, 0, 0], [2, 2, 2, 2, 3]]
NONE = [[0] * 5, [1] * 5]
EVERY = [[0, 1, 0, 1, 0], [1, 0, 1, 0, 1]]
SETTINGS = {"family": "imagenet_p"}


def cell(**predictions):
    """Make records of {kind: predictions (M, T)}; the other four classes follow in order."""
    parts = []
    for kind, said in predictions.items():
        top = [[[c, *(o for o in range(5) if o != c)] for c in row] for row in said]
        ids = 10 + np.arange(len(said))
        parts.append(rows_of(ids, np.zeros(len(said), np.int64), kind, np.array(top, np.int32)))
    frame = pd.concat(parts, ignore_index=True)
    return Records(frame, np.empty((len(frame), 0), np.float32), settings=SETTINGS)


REST = (None, "", "a", "MIT", "own")


@pytest.fixture
def tables(tmp_path):
    """Write both tables of {model: records}, and read them by model and kind or part."""
    published = tmp_path / "published.csv"
    write_rows(
        published,
        [
            Row("alexnet", "flip_probability", "imagenet_p", "snow", "0.5", "fraction", *REST),
            Row("alexnet", "flip_probability", "imagenet_p", "shot_noise", "25", "percent", *REST),
            Row("other", "flip_probability", "cifar10_p", "snow", "0.5", "fraction", *REST),
        ],
    )

    def make(cells, baseline):
        paths = []
        for model, records in cells.items():
            paths.append(str(tmp_path / model / "p.parquet"))
            write_records(paths[-1], records)
        rates, mean = str(tmp_path / "rates.csv"), str(tmp_path / "mean.csv")
        tabulate_flip_rate(paths, baseline, str(published), rates, mean)
        read = [pd.read_csv(rates), pd.read_csv(mean)]
        assert [list(table.columns) for table in read] == [COLUMNS, MEAN]
        return read[0].set_index(["model", "kind"]), read[1].set_index(["model", "part"])

    return make


def test_flip_probabilities_by_kind(tables):
    rates, _ = tables({"m": cell(snow=FLIPS, shot_noise=FLIPS)}, "m")
    snow, noise = rates.loc["m", "snow"], rates.loc["m", "shot_noise"]
    assert (snow[VALUE], noise[VALUE]) == (37.5, 50.0)
    assert (snow["compared_with"], noise["compared_with"]) == ("previous frame", "first frame")
    assert (snow["frames"], snow["n"], snow["part"], snow["status"]) == (5, 2, "ten", "ok")
    # By sequence: 2/4 and 1/4 flip, so 0.375 +- 1.96 * 0.125.
    assert (snow["normal95_low_pct"], snow["normal95_high_pct"]) == (13.0, 62.0)


def test_top5_distances_by_kind(tables):
    rates, means = tables({"m": cell(snow=[[0, 1]], shot_noise=[[0, 2, 0]])}, "m")
    # 0 1 2 3 4, then 1 0 2 3 4: two classes move by one. With 2 ahead: 1, 1 and 2.
    assert rates.loc["m", "snow"][DISTANCE] == 2
    assert rates.loc["m", "shot_noise"][DISTANCE] == (4 + 0) / 2
    assert means.loc["m", "ten"][MEAN_DISTANCE] == 2


def test_means_against_a_model_of_the_study(tables):
    base = cell(snow=EVERY, shot_noise=ONE, shear=EVERY)  # FP 1, 1/8, 1
    rates, means = tables(
        {"base": base, "m": cell(snow=FLIPS, shot_noise=FLIPS, shear=ONE)}, "base"
    )
    assert rates.loc["m", "snow"][RATE] == 37.5
    assert rates.loc["m", "shot_noise"][RATE] == 400.0
    ten = means.loc["m", "ten"]
    assert ten[MEAN_VALUE] == 43.75
    assert ten[MFR] == 218.75  # and not the ratio of the means
    assert (ten["kinds"], ten["kinds_of_part"], ten["n_per_kind"]) == (2, 10, 2)
    # By image: 2/4 and 2/4, 1/4 and 2/4, so 0.4375 +- 1.96 * 0.0625.
    assert (ten["normal95_low_pct"], ten["normal95_high_pct"]) == (31.5, 56.0)
    assert means.loc["m", "extra"][MFR] == 12.5
    own = means.loc["base", "ten"]
    assert (own[MFR], own[MT5D], own["baseline"]) == (100.0, 100.0, "base")


def test_the_means_of_distances_against_a_model_of_the_study(tables):
    base = cell(snow=[[0, 1]], rotate=[[0, 2]])  # distances 2 and 4
    _, means = tables({"base": base, "m": cell(snow=[[0, 2]], rotate=[[0, 1]])}, "base")
    assert means.loc["m", "ten"][MT5D] == 125.0  # (4 / 2 + 2 / 4) / 2


def test_a_published_baseline_is_named_and_has_no_distances(tables):
    rates, means = tables({"m": cell(snow=FLIPS, shot_noise=FLIPS)}, "alexnet")
    assert rates.loc["m", "snow"][RATE] == 75.0
    assert rates.loc["m", "snow"]["baseline"] == "alexnet (published)"
    ten = means.loc["m", "ten"]
    assert (ten[MFR], ten["status"]) == (137.5, "ok")
    assert math.isnan(ten[MT5D])


def test_a_baseline_published_for_another_family_gives_no_rates(tables):
    _, means = tables({"m": cell(snow=FLIPS)}, "other")
    ten = means.loc["m", "ten"]
    assert ten["status"] == ("baseline other (published): published for cifar10_p, not imagenet_p")
    assert math.isnan(ten[MFR]) and ten[MEAN_VALUE] == 37.5


def test_a_kind_without_published_value_has_no_rate(tables):
    rates, means = tables({"m": cell(snow=FLIPS, tilt=FLIPS)}, "alexnet")
    assert math.isnan(rates.loc["m", "tilt"][RATE])
    assert math.isnan(means.loc["m", "ten"][MFR])  # never a mean over some of the kinds
    assert rates.loc["m", "snow"][RATE] == 75.0


def test_a_baseline_without_published_flips_gives_no_rate(tables):
    rates, _ = tables({"m": cell(snow=FLIPS)}, "alexnet_robustbench")
    row = rates.loc["m", "snow"]
    assert math.isnan(row[RATE]) and row[VALUE] > 0
    assert row["status"] == "baseline alexnet_robustbench: no published flip probabilities"


def test_a_failed_cell_has_a_row_without_numbers(tables):
    cells = {"m": failed("no weights", SETTINGS), "base": cell(snow=FLIPS)}
    rates, means = tables(cells, "base")
    for table, n in ((rates, "n"), (means, "n_per_kind")):
        row = table.loc["m"].iloc[0]
        assert (row[n], row["status"]) == (0, "no weights")
    assert math.isnan(rates.loc["m"].iloc[0][VALUE])


def test_a_failed_baseline_leaves_the_flip_probability(tables):
    rates, means = tables({"m": cell(snow=FLIPS), "base": failed("no weights", SETTINGS)}, "base")
    for row, value in ((rates.loc["m", "snow"], VALUE), (means.loc["m", "ten"], MEAN_VALUE)):
        assert (row["status"], row[value]) == ("baseline base: no weights", 37.5)
    assert math.isnan(rates.loc["m", "snow"][RATE])


def test_a_baseline_that_never_flips_has_no_rate(tables):
    cells = {"m": cell(snow=FLIPS, tilt=FLIPS), "base": cell(snow=NONE, tilt=FLIPS)}
    rates, means = tables(cells, "base")
    assert math.isnan(rates.loc["m", "snow"][RATE])
    assert rates.loc["m", "tilt"][RATE] == 100.0
    assert math.isnan(means.loc["m", "ten"][MFR])


def test_an_incomplete_sequence_is_an_error():
    whole = cell(snow=FLIPS)
    for rows in (slice(1, None), slice(None, -1)):
        part = Records(whole.frame.iloc[rows], whole.logits[rows], settings=SETTINGS)
        with pytest.raises(ValueError, match=r"p\.parquet: snow: sequences are incomplete"):
            measured("p.parquet", part)
