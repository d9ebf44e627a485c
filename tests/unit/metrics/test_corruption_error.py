import numpy as np
import pytest

from robusteval.metrics.corruption_error import corruption_error


def test_is_a_ratio_of_sums_not_a_mean_of_ratios():
    error, baseline = np.array([0.1, 0.5]), np.array([0.4, 0.5])
    # Sums 0.6 and 0.9; the mean of the ratios would be 0.625. One rounding of each sum and ratio.
    assert corruption_error(error, baseline) == pytest.approx(2 / 3, rel=1e-15)


def test_baseline_scores_one():
    error = np.array([0.3, 0.5, 0.7])
    assert corruption_error(error, error) == 1.0


def test_errors_in_float32_are_summed_in_float64():
    error = np.full(5, 0.1, np.float32)
    assert corruption_error(error, error.astype(np.float64)) == 1.0


def test_undefined_if_baseline_never_errs():
    with pytest.raises(ValueError, match="more than 0"):
        corruption_error(np.array([0.1]), np.array([0.0]))


def test_missing_severity_is_not_averaged_over():
    with pytest.raises(ValueError, match="error holds 1 values that are NaN"):
        corruption_error(np.array([0.1, np.nan]), np.array([0.2, 0.3]))


def test_shapes_differ():
    with pytest.raises(ValueError, match=r"error \(1,\), baseline_error \(2,\)"):
        corruption_error(np.array([0.1]), np.array([0.2, 0.3]))
