import math

import numpy as np
import pytest

from robusteval.metrics.mean_distortion import mean_distortion


def test_is_over_successes_whatever_the_failures_hold():
    distortion = np.array([1.0, np.nan, 2.0, np.inf])
    assert mean_distortion(distortion, np.array([True, False, True, False])) == 1.5


def test_nan_without_success():
    assert math.isnan(mean_distortion(np.array([1.0, 2.0]), np.array([False, False])))


def test_success_without_distortion_is_an_error():
    with pytest.raises(ValueError, match="holds 1 values that are NaN"):
        mean_distortion(np.array([1.0, np.nan]), np.array([True, True]))


def test_success_must_be_boolean():
    with pytest.raises(ValueError, match="success has type int64"):
        mean_distortion(np.array([1.0, 2.0]), np.array([0, 1]))
