import numpy as np
import pytest

from robusteval.laws.pareto_frontier import pareto_frontier


def test_by_hand():
    accuracy = np.array([0.5, 0.6, 0.7, 0.8, 0.7])
    robustness = np.array([9.0, 9.5, 5.0, 1.0, 4.0])
    # The first is beaten by the second in both, the last by the third in one.
    assert pareto_frontier(accuracy, robustness).tolist() == [False, True, True, True, False]


def test_models_with_the_same_numbers_do_not_beat_each_other():
    assert pareto_frontier(np.array([0.5, 0.5, 0.4]), np.array([1.0, 1.0, 1.0])).tolist() == [
        True,
        True,
        False,
    ]


def test_no_member_is_beaten_and_every_other_is():
    accuracy, robustness = np.random.default_rng(0).random((2, 40))
    member = pareto_frontier(accuracy, robustness)
    for i in range(40):
        better = (accuracy > accuracy[i]) & (robustness > robustness[i])
        assert better.any() == (not member[i])


def test_nan_is_no_robustness():
    with pytest.raises(ValueError, match="robustness holds NaN"):
        pareto_frontier(np.array([0.5]), np.array([np.nan]))
