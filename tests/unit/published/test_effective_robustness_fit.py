"""The line in logit space: closed forms, and what it says of timm's models."""

import numpy as np
import pytest

from robusteval.published.effective_robustness import (
    effective_robustness,
    fitted_line,
    foretold,
    logit,
)
from robusteval.published.identities import scaling_law
from robusteval.published.shift_lines import SETS, shifts


def share(x):
    return 1 / (1 + np.exp(-np.asarray(x)))


def test_models_on_a_line_lie_on_it():
    x = np.array([0.0, 1.0, 2.5])
    line = fitted_line(share(x), share(0.5 * x - 1))
    assert (line.slope, line.intercept, line.r2, line.n) == pytest.approx((0.5, -1, 1, 3), abs=1e-9)
    assert effective_robustness(line, share(x), share(0.5 * x - 1)) == pytest.approx(
        [0, 0, 0], abs=1e-9
    )
    assert foretold(line, share([2.0])) == pytest.approx(share([0.0]), abs=1e-9)  # float64


def test_least_squares_by_hand():
    # Residuals of (0, 1, 2) -> (0, 0, 3) about y = 1.5 x - 0.5: .5, -1, .5; R2 = 1 - 1.5 / 6.
    line = fitted_line(share([0, 1, 2]), share([0, 0, 3]))
    assert (line.slope, line.intercept, line.r2) == pytest.approx((1.5, -0.5, 0.75), abs=1e-9)


def test_models_without_a_logit_are_left_out():
    base = np.array([0.3, 0.5, 0.7, 0.9, 0.6])
    own = np.array([0.2, 0.4, 0.6, 0.0, np.nan])
    assert fitted_line(base, own).n == 3
    assert np.isneginf(logit(np.array([0.0])))[0] and np.isposinf(logit(np.array([1.0])))[0]
    with pytest.raises(ValueError, match="2 models with both accuracies"):
        fitted_line(base[:2], own[:2])
    with pytest.raises(ValueError, match="the same accuracy"):
        fitted_line(np.full(3, 0.5), own[:3])


def test_timms_models_follow_a_line_on_v2_most_closely(published):
    found = {shift.test: shift for shift in shifts(published)}
    assert list(found) == list(SETS)
    r2 = {test: shift.line.r2 for test, shift in found.items()}
    assert max(r2, key=r2.get) == "imagenet_v2" and min(r2.values()) > 0.5
    for shift in found.values():
        # What least squares is: residuals sum to nothing and are uncorrelated to the regressor.
        x = logit(shift.base / 100)
        left = logit(shift.shifted / 100) - shift.line.intercept - shift.line.slope * x
        assert left.sum() == pytest.approx(0, abs=1e-8)  # 1,556 sums in float64
        assert left @ x == pytest.approx(0, abs=1e-7)
        assert shift.base == pytest.approx(
            shift.shifted - shift.residual - shift.foretold + shift.base
        )


def test_a_folder_without_timms_table_has_no_lines(tmp_path):
    assert shifts(tmp_path) == []


def test_scaling_law_on_and_off_a_line():
    error = np.array([0.5, 0.25, 0.125])
    a, b, r2 = scaling_law(error, 0.05 + 0.01 * np.log(error))
    assert (a, b, r2) == pytest.approx((0.05, 0.01, 1), abs=1e-12)  # float64
    # ln error is 0, -1, -2 times ln 2 but for a shift; distortions 3, 0, 0 fall by 1.5 a step.
    a, b, r2 = scaling_law(error, [3, 0, 0])
    assert (b, r2) == pytest.approx((1.5 / np.log(2), 0.75), abs=1e-9)
    for errors, message in (
        ([0.5, 0.2], "2 models; at least 3"),
        ([0.5, 0.5, 0.5], "all errors are 0.5"),
        ([0.5, 0.0, 0.2], "above 0"),
        ([50, 40, 30], "at most 1 expected"),
    ):
        with pytest.raises(ValueError, match=message):
            scaling_law(errors, [1.0] * len(errors))
