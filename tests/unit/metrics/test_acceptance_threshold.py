import numpy as np
import pytest

from robusteval.metrics.acceptance_threshold import acceptance_threshold
from robusteval.scores.max_softmax import max_softmax

CONFIDENCE = np.arange(1.0, 101.0)  # 1 to 100
CORRECT = CONFIDENCE > 20  # the 80 most confident


def test_by_hand():
    # 95 of 1..100 and 76 of 21..100 are accepted.
    assert acceptance_threshold(CONFIDENCE, CORRECT, mask="all") == 6
    assert acceptance_threshold(CONFIDENCE, CORRECT, mask="correct") == 25


def test_correct_is_the_default():
    assert acceptance_threshold(CONFIDENCE, CORRECT) == 25


@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 100, 997])
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.95, 0.99, 1.0])
def test_accepts_enough_and_is_attained(n, rate):
    confidence = np.random.default_rng(n).random(n)
    threshold = acceptance_threshold(confidence, np.ones(n, bool), target_rate=rate, fewest=1)
    accepted = np.sum(confidence >= threshold)
    assert threshold in confidence
    assert accepted / n >= rate > (accepted - 1) / n  # one image less would not do


def test_massive_ties_are_accepted():
    confidence = np.array([0.2] + [1.0] * 99)
    assert acceptance_threshold(confidence, np.ones(100, bool)) == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("score", [max_softmax, lambda z: np.exp(max_softmax(z))])
def test_probabilities_that_round_to_one(dtype, score):
    # Some leads are so large that the probability is 1.0, and some confident images are wrong.
    rng = np.random.default_rng(0)
    logits = np.zeros((400, 10), dtype)
    logits[:, 0] = rng.integers(1, 60, 400)
    correct = rng.random(400) < 0.8
    confidence = score(logits)
    for mask, kept in (("correct", confidence[correct]), ("all", confidence)):
        for rate in (0.1, 0.5, 0.95):
            threshold = acceptance_threshold(confidence, correct, mask=mask, target_rate=rate)
            assert np.mean(kept >= threshold) >= rate > np.mean(kept > threshold)


def test_fewer_than_20_images():
    confidence, correct = np.arange(19.0), np.ones(19, bool)
    with pytest.raises(ValueError, match="19 calibration images: expected at least 20"):
        acceptance_threshold(confidence, correct)
    assert acceptance_threshold(confidence, correct, fewest=19) == 0
    assert acceptance_threshold(np.arange(20.0), np.ones(20, bool)) == 1  # 19 of 20 are 95%


def test_order_does_not_count():
    shuffle = np.random.default_rng(0).permutation(100)
    assert acceptance_threshold(CONFIDENCE[shuffle], CORRECT[shuffle]) == 25


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


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_number(value):
    with pytest.raises(ValueError, match="confidence holds 1 values"):
        acceptance_threshold(np.append(CONFIDENCE, value), np.append(CORRECT, True))
