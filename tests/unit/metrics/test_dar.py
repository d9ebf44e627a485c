"""DAR against its definition, its special cases and a table worked by hand."""

import numpy as np
import pytest

from robusteval.metrics.acceptance_threshold import acceptance_threshold
from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.dar import dar

EXACT = 1e-15  # identities between sums of at most four rounded shares


def known_set(seed=0, n=1000):
    """Return confidence, label and prediction of ``n`` images of known classes, about 80% right."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 10, n)
    right = rng.random(n) < 0.8
    prediction = np.where(right, label, (label + 1) % 10)
    return rng.beta(np.where(right, 5, 2), 2), label, prediction


@pytest.mark.parametrize(
    ("label", "prediction", "confidence", "expected"),
    [
        (3, 3, 0.9, {"right": 1, "wrong": 1}),  # known, right, accepted
        (3, 3, 0.1, {"right": 0, "wrong": 0}),  # known, right, rejected
        (3, 4, 0.9, {"right": 0, "wrong": 0}),  # known, wrong, accepted
        (3, 4, 0.1, {"right": 1, "wrong": 0}),  # known, wrong, rejected: the open choice
        (-1, 4, 0.9, {"right": 0, "wrong": 0}),  # unknown, accepted
        (-1, 4, 0.1, {"right": 1, "wrong": 1}),  # unknown, rejected
        (3, 3, 0.5, {"right": 1, "wrong": 1}),  # at the threshold: accepted
    ],
)
@pytest.mark.parametrize("rejected_mistake", ["right", "wrong"])
def test_each_decision(label, prediction, confidence, expected, rejected_mistake):
    one = np.array([confidence]), np.array([label]), np.array([prediction])
    assert dar(*one, 0.5, rejected_mistake=rejected_mistake) == expected[rejected_mistake]


def test_rejecting_a_mistake_is_right_by_default():
    data = known_set()
    assert dar(*data, 0.5) == dar(*data, 0.5, rejected_mistake="right")
    assert dar(*data, 0.5) > dar(*data, 0.5, rejected_mistake="wrong")


def test_known_set_in_terms_of_accuracy_and_accepted_shares():
    confidence, label, prediction = known_set()
    a = accuracy(label, prediction)
    A = np.mean(confidence[label == prediction] >= 0.5)
    B = np.mean(confidence[label != prediction] >= 0.5)
    expected = a * A + (1 - a) * (1 - B)
    assert dar(confidence, label, prediction, 0.5) == pytest.approx(expected, abs=EXACT)
    only_accepted = dar(confidence, label, prediction, 0.5, rejected_mistake="wrong")
    assert only_accepted == pytest.approx(a * A, abs=EXACT)


@pytest.mark.parametrize("rejected_mistake", ["right", "wrong"])
def test_unknown_set_is_the_share_rejected(rejected_mistake):
    confidence, _, prediction = known_set()
    got = dar(confidence, np.full(1000, -1), prediction, 0.5, rejected_mistake=rejected_mistake)
    assert got == np.mean(confidence < 0.5)


def test_never_reject():
    confidence, label, prediction = known_set()
    assert dar(confidence, label, prediction, -np.inf) == accuracy(label, prediction)
    assert dar(confidence, np.full(1000, -1), prediction, -np.inf) == 0


def test_always_reject():
    confidence, label, prediction = known_set()
    got = dar(confidence, label, prediction, np.inf)
    assert got == pytest.approx(1 - accuracy(label, prediction), abs=EXACT)
    assert dar(confidence, label, prediction, np.inf, rejected_mistake="wrong") == 0
    assert dar(confidence, np.full(1000, -1), prediction, np.inf) == 1


def test_clean_set_at_the_threshold_that_accepts_95_percent_of_the_correct():
    confidence, label, prediction = known_set()
    correct = label == prediction
    threshold = acceptance_threshold(confidence, correct)
    a, B = np.mean(correct), np.mean(confidence[~correct] >= threshold)
    # The threshold is an attained score: it accepts 95% and less than an image more.
    expected = 0.95 * a + (1 - a) * (1 - B)
    assert expected - EXACT <= dar(confidence, label, prediction, threshold) < expected + 1 / 1000


def test_perfect_classifier_scores_the_target_rate():
    confidence = np.random.default_rng(3).random(10_001)
    label = np.zeros(10_001, int)
    threshold = acceptance_threshold(confidence, np.ones(10_001, bool))
    # 95% are 9,500.95 images.
    assert dar(confidence, label, label, threshold) == 9501 / 10_001


def test_mixed_set_is_the_mean_weighted_by_size():
    confidence, label, prediction = known_set()
    label = np.where(np.arange(1000) < 300, -1, label)
    parts = [
        dar(confidence[rows], label[rows], prediction[rows], 0.5)
        for rows in (label == -1, label >= 0)
    ]
    got = dar(confidence, label, prediction, 0.5)
    assert got == pytest.approx(0.3 * parts[0] + 0.7 * parts[1], abs=EXACT)


def test_only_the_order_of_confidence_and_threshold_counts():
    confidence, label, prediction = known_set()
    got = dar(np.log(confidence), label, prediction, np.log(0.5))
    assert got == dar(confidence, label, prediction, 0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": np.nan}, "NaN neither accepts nor rejects"),
        ({"confidence": np.array([np.nan, 1.0])}, "confidence holds 1 values that are NaN"),
        ({"confidence": np.array([1.0, np.inf])}, "confidence holds 1 values that are NaN or inf"),
        ({"label": np.array([-2, 0])}, "label -2"),
        ({"label": np.array([0])}, r"label \(1,\)"),
        ({"rejected_mistake": "maybe"}, "'maybe': expected 'right' or 'wrong'"),
    ],
)
def test_errors(change, message):
    good = {
        "confidence": np.array([0.5, 1.0]),
        "label": np.array([0, 1]),
        "prediction": np.array([0, 0]),
        "threshold": 0.5,
    }
    assert dar(**good) == 0.5
    with pytest.raises(ValueError, match=message):
        dar(**good | change)
