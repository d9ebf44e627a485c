"""AURC and AUGRC, the two areas over the share of images that are accepted."""

import itertools

import numpy as np
import pytest

from robusteval.metrics.augrc import augrc
from robusteval.metrics.aurc import aurc
from robusteval.metrics.auroc import auroc

METRICS = [aurc, augrc]


def records(decimals=12, n=300):
    rng = np.random.default_rng(0)
    correct = rng.random(n) < 0.8
    return rng.beta(np.where(correct, 5, 2), 2).round(decimals), correct


def test_by_hand():
    confidence, correct = np.array([4.0, 3, 2, 1]), np.array([True, False, True, False])
    # Errors among the first n: 0, 1, 1, 2.
    assert aurc(confidence, correct) == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4, rel=1e-15)
    assert augrc(confidence, correct) == (0 / 2 + 1 / 2 + 2 / 2 + 3 / 2) / 16


@pytest.mark.parametrize("metric", METRICS)
def test_ties_are_the_mean_over_their_orders(metric):
    confidence = np.array([5.0, 3, 3, 3, 1, 1])
    correct = np.array([False, True, False, True, True, False])
    orders = []
    for first in itertools.permutations([0.1, 0.2, 0.3]):
        for last in itertools.permutations([0.1, 0.2]):
            orders.append(metric(confidence - np.array([0, *first, *last]), correct))
    # A mean over twelve numbers.
    assert metric(confidence, correct) == pytest.approx(np.mean(orders), rel=1e-14)
    assert np.ptp(orders) > 0.01


@pytest.mark.parametrize("decimals", [12, 1])
def test_augrc_in_terms_of_accuracy_and_auroc(decimals):
    confidence, correct = records(decimals)
    a = correct.mean()
    failure = auroc(confidence[correct], confidence[~correct])
    expected = (1 - failure) * a * (1 - a) + (1 - a) ** 2 / 2
    # 300 trapezia each.
    assert augrc(confidence, correct) == pytest.approx(expected, abs=1e-13)


def test_a_score_that_says_nothing():
    correct = np.arange(100) < 70
    # The share of errors in every mean, and half of it under a line from 0.
    assert aurc(np.ones(100), correct) == pytest.approx(0.3, rel=1e-14)
    assert augrc(np.ones(100), correct) == pytest.approx(0.15, rel=1e-14)


@pytest.mark.parametrize("metric", METRICS)
def test_best_and_worst(metric):
    confidence, correct = records()
    best, worst = metric(correct.astype(float), correct), metric(-correct.astype(float), correct)
    assert best < metric(confidence, correct) < worst
    assert metric(confidence, np.ones(300, bool)) == 0


def test_nothing_is_right():
    assert aurc(np.arange(5.0), np.zeros(5, bool)) == 1
    assert augrc(np.arange(5.0), np.zeros(5, bool)) == 0.5


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("change", [lambda s: s + 100, np.exp, lambda s: 3 * s - 7])
@pytest.mark.parametrize("decimals", [9, 1])  # 100 + s keeps nine
def test_only_the_order_of_the_confidences_counts(metric, change, decimals):
    confidence, correct = records(decimals)
    assert metric(change(confidence), correct) == metric(confidence, correct)


@pytest.mark.parametrize("metric", METRICS)
def test_order_of_the_images_does_not_count(metric):
    confidence, correct = records(1)
    assert metric(confidence[::-1], correct[::-1]) == metric(confidence, correct)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("confidence", "correct", "message"),
    [
        (np.ones(3), np.ones(2, bool), r"correct \(2,\)"),
        (np.ones(2), np.ones(2, int), "type int64: expected bool"),
        (np.array([1, np.inf]), np.ones(2, bool), "confidence holds 1 values"),
    ],
)
def test_errors(metric, confidence, correct, message):
    with pytest.raises(ValueError, match=message):
        metric(confidence, correct)
