import numpy as np
import pytest

from robusteval.metrics.acceptance_threshold import acceptance_threshold

CONFIDENCE = np.arange(1.0, 101.0)  # 1 to 100
CORRECT = CONFIDENCE > 20  # the 80 most confident


def test_by_hand():
    # Position floor(0.05 * 99) = 4 of 1..100 and floor(0.05 * 79) = 3 of 21..100, counted from 0.
    assert acceptance_threshold(CONFIDENCE, CORRECT, mask="all") == 5
    assert acceptance_threshold(CONFIDENCE, CORRECT, mask="correct") == 24


def test_correct_is_the_default():
    assert acceptance_threshold(CONFIDENCE, CORRECT) == 24


@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 100, 997])
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.95, 0.99, 1.0])
def test_accepts_enough_and_is_attained(n, rate):
    confidence = np.random.default_rng(n).random(n)
    threshold = acceptance_threshold(confidence, np.ones(n, bool), target_rate=rate)
    accepted = np.sum(confidence >= threshold)
    assert threshold in confidence
    assert rate * n <= accepted < rate * n + 2  # no more than the next whole image and one over


def test_massive_ties_are_accepted():
    confidence = np.array([0.2] + [1.0] * 99)
    assert acceptance_threshold(confidence, np.ones(100, bool)) == 1.0


def test_order_does_not_count():
    shuffle = np.random.default_rng(0).permutation(100)
    assert acceptance_threshold(CONFIDENCE[shuffle], CORRECT[shuffle]) == 24


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.01, 95])
def test_rate_out_of_range(rate):
    with pytest.raises(ValueError, match="target_rate"):
        acceptance_threshold(CONFIDENCE, CORRECT, target_rate=rate)


def test_unknown_mask():
    with pytest.raises(ValueError, match="'wrong': expected 'correct' or 'all'"):
        acceptance_threshold(CONFIDENCE, CORRECT, mask="wrong")


def test_nothing_correct():
    with pytest.raises(ValueError, match="none of 100 images is correct"):
        acceptance_threshold(CONFIDENCE, np.zeros(100, bool))


def test_nan():
    with pytest.raises(ValueError, match="confidence holds 1 values"):
        acceptance_threshold(np.array([0.1, np.nan]), np.array([True, True]))
