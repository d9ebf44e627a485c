"""mCE and relative mCE, held against the published ResNet-50 row of ImageNet-C."""

from pathlib import Path

import numpy as np
import pytest

from robusteval.corruptions._parts import FIFTEEN
from robusteval.metrics.mean_corruption_error import mean_corruption_error
from robusteval.metrics.relative_mean_corruption_error import relative_mean_corruption_error
from robusteval.published.rows import read_rows

CONFIG = Path(__file__).parents[3] / "config/published"
# AlexNet from google-research/augmix, ResNet-50 (torchvision V1) from bethgelab/game-of-noise;
# means over the five severities.
ROWS = {
    (r.model, r.what, r.test, r.condition.partition(", baseline")[0]): r
    for name in ("alexnet_corruption_error", "imagenet_c_resnet50")
    for r in read_rows(CONFIG / f"{name}.csv")
    if r.condition.partition(", baseline ")[2] in ("", "alexnet_imagenet_c")
}


def published(model, what, condition, test="imagenet_c"):
    return ROWS[model, what, test, condition].percent


ALEXNET = {c: np.array([published("alexnet_imagenet_c", "error", c) / 100]) for c in FIFTEEN}
RESNET50 = {c: np.array([1 - published("resnet50_vanilla", "accuracy", c) / 100]) for c in FIFTEEN}
ALEXNET_CLEAN = published("alexnet_imagenet_c", "error", "", "imagenet_validation") / 100
RESNET50_CLEAN = 1 - published("resnet50_vanilla", "accuracy", "", "imagenet_validation") / 100
PRINTED = 0.005  # half of the last printed digit, in percent


def test_published_mce():
    # The inputs are rounded to PRINTED as well, and dividing by AlexNet's 0.56 to 0.92 stretches
    # that at most 1 / 0.56 = 1.8 times.
    got = 100 * mean_corruption_error(RESNET50, ALEXNET)
    assert got == pytest.approx(published("resnet50_vanilla", "mce", "fifteen"), abs=PRINTED * 2.8)


@pytest.mark.parametrize("name", FIFTEEN)
def test_published_corruption_error(name):
    got = 100 * mean_corruption_error({name: RESNET50[name]}, {name: ALEXNET[name]})
    theirs = published("resnet50_vanilla", "corruption_error", name)
    assert got == pytest.approx(theirs, abs=PRINTED * 2.8)  # as above


def test_published_relative_mce():
    got = 100 * relative_mean_corruption_error(RESNET50, RESNET50_CLEAN, ALEXNET, ALEXNET_CLEAN)
    row = ROWS["resnet50_vanilla", "relative_mce", "imagenet_c", "fifteen"]
    assert got == pytest.approx(row.percent, abs=row.half_digit)  # one decimal was printed


def test_order_of_names_does_not_count():
    backwards = dict(reversed(ALEXNET.items()))
    assert mean_corruption_error(RESNET50, backwards) == mean_corruption_error(RESNET50, ALEXNET)


def test_baseline_scores_one():
    assert mean_corruption_error(ALEXNET, ALEXNET) == 1.0
    assert relative_mean_corruption_error(ALEXNET, 0.4, ALEXNET, 0.4) == 1.0


@pytest.mark.parametrize("smaller", ["errors", "baseline"])
def test_names_must_agree(smaller):
    some = {name: values for name, values in ALEXNET.items() if name != "fog"}
    errors, baseline = (some, ALEXNET) if smaller == "errors" else (ALEXNET, some)
    with pytest.raises(ValueError, match="'fog'"):
        mean_corruption_error(errors, baseline)
    with pytest.raises(ValueError, match="'fog'"):
        relative_mean_corruption_error(errors, 0.2, baseline, 0.4)


def test_incomplete_corruption_spoils_the_mean():
    with pytest.raises(ValueError, match="NaN"):
        mean_corruption_error(RESNET50 | {"fog": np.array([np.nan])}, ALEXNET)
