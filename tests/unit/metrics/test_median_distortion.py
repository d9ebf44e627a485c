import numpy as np
import pytest

from robusteval.metrics.median_distortion import median_distortion


@pytest.mark.parametrize(
    ("success", "expected"),
    [
        ([True, True, True, True, True], 3.0),
        ([True, True, True, True, False], 3.0),  # 1 2 3 4 inf
        ([False, True, True, True, True], 4.0),  # 2 3 4 5 inf
        ([True, True, False, False, False], np.inf),
        ([False] * 5, np.inf),
    ],
)
def test_failures_are_infinitely_far(success, expected):
    distortion = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert median_distortion(distortion, np.array(success)) == expected


def test_half_of_an_even_number_failed():
    assert median_distortion(np.array([1.0, 2.0]), np.array([True, False])) == np.inf


def test_failures_may_hold_anything():
    assert median_distortion(np.array([1.0, 2.0, np.nan]), np.array([True, True, False])) == 2.0


def test_success_without_distortion_is_an_error():
    with pytest.raises(ValueError, match="holds 1 values that are NaN"):
        median_distortion(np.array([1.0, np.nan]), np.array([True, True]))
