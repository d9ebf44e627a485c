import math

import numpy as np
import pytest

from robusteval.laws.log_linear import log_linear
from robusteval.laws.log_linear_intervals import log_linear_intervals
from robusteval.laws.pareto_frontier import pareto_frontier
from robusteval.seeds import generator

RNG = np.random.default_rng(0)
ACCURACY = RNG.uniform(0.5, 0.9, 18)
DISTORTION = 3 + np.log(1 - ACCURACY) + RNG.normal(0, 0.2, 18)


def intervals(accuracy=ACCURACY, distortion=DISTORTION, seed=0, **options):
    return log_linear_intervals(accuracy, distortion, generator=generator(seed, "laws"), **options)


def test_around_the_fit_and_the_same_again():
    fit, found = log_linear(ACCURACY, DISTORTION), intervals()
    for name in ("a", "b", "r_squared"):
        low, high = getattr(found, name)
        assert low < getattr(fit, name) < high
    assert found.used == 2000
    assert intervals() == found
    assert intervals(seed=1) != found


def test_against_one_resample_after_the_other():
    draws = generator(0, "laws").integers(18, size=(50, 18))
    for frontier in (False, True):
        fits = []
        for draw in draws:
            x, y = ACCURACY[draw], DISTORTION[draw]
            own = pareto_frontier(x, y) if frontier else np.ones(18, bool)
            if len(np.unique(x[own])) > 1:
                fits.append(log_linear(x[own], y[own]))
        found = intervals(frontier=frontier, resamples=50)
        assert found.used == len(fits)
        for name in ("a", "b"):
            expected = np.quantile([getattr(fit, name) for fit in fits], [0.025, 0.975])
            # The same sums in another order; two points close in accuracy lose some digits.
            assert getattr(found, name) == pytest.approx(expected, rel=1e-8)


def test_a_law_that_holds_is_certain():
    found = intervals(distortion=3 + 2 * np.log(1 - ACCURACY))
    # Resamples of few different models lose some digits to rounding, not to chance.
    assert found.b == pytest.approx((2, 2), abs=1e-9)
    assert found.r_squared == pytest.approx((1, 1), abs=1e-9)


def test_covers_the_true_slope_about_as_often_as_it_says():
    covered = 0
    for seed in range(200):
        y = 3 + np.log(1 - ACCURACY) + np.random.default_rng(seed).normal(0, 0.2, 18)
        low, high = intervals(distortion=y, seed=seed, resamples=400).b
        covered += low <= 1 <= high
    # Percentile intervals of 18 are too narrow: about 92% was expected. A 95% interval falls below
    # 166 of 200 with probability 1e-9, one that covers 70% is above with 1e-5.
    assert 166 <= covered < 200


@pytest.mark.parametrize("frontier", [False, True])
def test_two_models_have_no_interval(frontier):
    found = intervals(np.array([0.5, 0.7]), np.array([2.0, 1.0]), frontier=frontier)
    assert all(math.isnan(end) for pair in (found.a, found.b, found.r_squared) for end in pair)
    assert found.used == 0


def test_resamples_of_one_model_determine_no_line():
    found = intervals(np.array([0.5, 0.6, 0.7]), np.array([3.0, 2.0, 1.0]), resamples=3000)
    # Three draws of three are all the same with probability 1/9; 4 standard errors are 69.
    assert found.used == pytest.approx(3000 * 8 / 9, abs=69)


def test_what_is_asked_must_make_sense():
    with pytest.raises(ValueError, match="0 resamples"):
        intervals(resamples=0)
    with pytest.raises(ValueError, match=r"level 1\.5"):
        intervals(level=1.5)
