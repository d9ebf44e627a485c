import numpy as np
import pytest

from robusteval.metrics.success_rate import success_rate


def test_counts_only_attacked_images():
    success = np.array([True, False, True, True])
    attacked = np.array([True, True, False, True])
    assert success_rate(success, attacked) == 2 / 3


def test_undefined_if_nothing_was_attacked():
    with pytest.raises(ValueError, match="none of 2 images was attacked"):
        success_rate(np.array([True, False]), np.array([False, False]))


def test_integers_would_select_by_position():
    with pytest.raises(ValueError, match="attacked has type int64: expected bool"):
        success_rate(np.array([True, False]), np.array([1, 0]))


def test_shapes_differ():
    with pytest.raises(ValueError, match=r"success \(1,\), attacked \(2,\)"):
        success_rate(np.array([True]), np.array([True, True]))
