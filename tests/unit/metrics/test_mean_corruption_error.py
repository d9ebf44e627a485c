"""mCE and relative mCE, held against the published ResNet-50 row of ImageNet-C."""

import numpy as np
import pytest

from robusteval.metrics.mean_corruption_error import mean_corruption_error
from robusteval.metrics.relative_mean_corruption_error import relative_mean_corruption_error

# corruption: (AlexNet error, ResNet-50 accuracy %, ResNet-50 CE %), means over the five severities.
# AlexNet from google-research/augmix, ResNet-50 (torchvision V1) from bethgelab/game-of-noise.
PUBLISHED = {
    "gaussian_noise": (0.886428, 29.29, 79.77),
    "shot_noise": (0.894468, 27.03, 81.58),
    "impulse_noise": (0.922640, 23.81, 82.58),
    "defocus_blur": (0.819880, 38.75, 74.71),
    "glass_blur": (0.826268, 26.79, 88.61),
    "motion_blur": (0.785948, 38.67, 78.03),
    "zoom_blur": (0.798360, 36.24, 79.86),
    "snow": (0.866816, 32.53, 77.83),
    "frost": (0.826572, 38.14, 74.84),
    "fog": (0.819324, 45.83, 66.11),
    "brightness": (0.564592, 68.02, 56.64),
    "contrast": (0.853204, 39.06, 71.43),
    "elastic_transform": (0.646056, 45.25, 84.75),
    "pixelate": (0.717840, 44.79, 76.92),
    "jpeg_compression": (0.606500, 53.41, 76.82),
}
ALEXNET = {name: np.array([row[0]]) for name, row in PUBLISHED.items()}
RESNET50 = {name: np.array([1 - row[1] / 100]) for name, row in PUBLISHED.items()}
ALEXNET_CLEAN, RESNET50_CLEAN = 0.435, 1 - 0.7613
PRINTED = 0.005  # half of the last printed digit, in percent


def test_published_mce():
    # The inputs are rounded to PRINTED as well, and dividing by AlexNet's 0.56 to 0.92 stretches
    # that at most 1 / 0.56 = 1.8 times.
    got = 100 * mean_corruption_error(RESNET50, ALEXNET)
    assert got == pytest.approx(76.70, abs=PRINTED * 2.8)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_corruption_error(name):
    got = 100 * mean_corruption_error({name: RESNET50[name]}, {name: ALEXNET[name]})
    assert got == pytest.approx(PUBLISHED[name][2], abs=PRINTED * 2.8)  # as above


def test_published_relative_mce():
    got = 100 * relative_mean_corruption_error(RESNET50, RESNET50_CLEAN, ALEXNET, ALEXNET_CLEAN)
    assert got == pytest.approx(105.02, abs=PRINTED)  # computed from these very inputs


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
