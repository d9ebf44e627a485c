"""Flip rates and their mean, and mT5D, which is the same of another value."""

import csv
from pathlib import Path

import pytest

from robusteval.metrics.flip_rate import flip_rate
from robusteval.metrics.mean_flip_rate import mean_flip_rate
from robusteval.metrics.mean_top5_distance import mean_top5_distance
from robusteval.perturbations._sequences import PARTS

SAID, BASE = {"snow": 0.375, "shot_noise": 0.5}, {"shot_noise": 0.25, "snow": 0.5}
ALEXNET = Path(__file__).parents[3] / "config" / "published" / "alexnet_flip_probability.csv"
MEANS = [mean_flip_rate, mean_top5_distance]


def test_rates_are_matched_by_name():
    assert flip_rate(SAID, BASE) == {"snow": 0.75, "shot_noise": 2.0}


@pytest.mark.parametrize("mean", MEANS)
def test_the_mean_of_the_ratios(mean):
    assert mean(SAID, BASE) == 1.375  # and not the ratio of the means, 0.875 / 0.75
    assert mean(BASE, BASE) == 1.0


@pytest.mark.parametrize("metric", [flip_rate, *MEANS])
@pytest.mark.parametrize(
    ("values", "base", "message"),
    [
        ({"snow": 0.1}, BASE, "only of the baseline: .'shot_noise'."),
        ({**SAID, "snow": float("nan")}, BASE, "of snow holds 1 values that are NaN"),
        ({**SAID, "snow": -0.1}, BASE, "of snow: -0.1; expected 0 or more"),
        (SAID, {**BASE, "snow": 0.0}, "of snow: 0.0; expected more than 0"),
    ],
)
def test_what_has_no_ratio(metric, values, base, message):
    with pytest.raises(ValueError, match=message):
        metric(values, base)


def test_alexnet_has_a_published_value_for_every_kind():
    with ALEXNET.open() as file:
        rows = list(csv.DictReader(file))
    assert {(r["model"], r["test"]) for r in rows} == {("alexnet_imagenet_c", "imagenet_p")}
    kinds = [kind for part in PARTS["imagenet_p"].values() for kind in part]
    assert sorted(r["condition"] for r in rows) == sorted(kinds)
    assert all(0 < float(r["value"]) < 1 and r["source"] for r in rows)
