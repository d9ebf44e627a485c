import math

import numpy as np
import pytest

from robusteval.laws.log_linear import log_linear


def test_recovers_a_law_that_holds():
    accuracy = np.array([0.5, 0.6, 0.75, 0.8])
    fit = log_linear(accuracy, 3 + 2 * np.log(1 - accuracy))
    # A handful of operations in float64.
    assert (fit.a, fit.b, fit.r_squared) == pytest.approx((3, 2, 1), abs=1e-12)
    assert fit.n == 4


def test_by_hand():
    # Errors 1, 1/e, 1/e^2: x is 0, -1, -2, the distortions 2, 0, 1.
    accuracy = 1 - np.exp([0.0, -1.0, -2.0])
    fit = log_linear(accuracy, np.array([2.0, 0.0, 1.0]))
    # Means -1 and 1; sxy = 1 * 1 + 0 + (-1) * 0 = 1, sxx = 2, syy = 2; a = 1 + 0.5.
    assert (fit.a, fit.b, fit.r_squared) == pytest.approx((1.5, 0.5, 0.25), abs=1e-12)


def test_against_scipy():
    from scipy.stats import linregress

    rng = np.random.default_rng(0)
    accuracy, distortion = rng.uniform(0.5, 0.9, 18), rng.random(18)
    expected = linregress(np.log(1 - accuracy), distortion)
    fit = log_linear(accuracy, distortion)
    # The same sums in another order.
    assert (fit.a, fit.b) == pytest.approx((expected.intercept, expected.slope), rel=1e-10)
    assert fit.r_squared == pytest.approx(expected.rvalue**2, rel=1e-10)


def test_a_distortion_that_does_not_vary_has_no_r_squared():
    fit = log_linear(np.array([0.5, 0.6, 0.7]), np.full(3, 0.1))
    assert fit.b == pytest.approx(0, abs=1e-15)  # the mean of equal numbers is rounded
    assert math.isnan(fit.r_squared)


@pytest.mark.parametrize("accuracy", [1.0, -0.1, float("nan")])
def test_an_accuracy_without_a_logarithm(accuracy):
    with pytest.raises(ValueError, match="expected 0 or more and less than 1"):
        log_linear(np.array([0.5, accuracy]), np.ones(2))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_one_accuracy_makes_no_line(n):
    with pytest.raises(ValueError, match="different accuracies: expected 3 or more"):
        log_linear(np.full(n, 0.5), np.arange(n, dtype=float))


def test_through_two_models_a_line_always_goes():
    with pytest.raises(ValueError, match="2 models with 2 different accuracies: expected 3"):
        log_linear(np.array([0.5, 0.6]), np.array([1.0, 2.0]))


def test_an_infinite_median_is_no_distortion():
    with pytest.raises(ValueError, match="distortion holds NaN or infinity"):
        log_linear(np.array([0.5, 0.6]), np.array([1.0, np.inf]))


def test_other_shapes():
    with pytest.raises(ValueError, match=r"accuracy \(2,\), distortion \(3,\)"):
        log_linear(np.array([0.5, 0.6]), np.ones(3))
