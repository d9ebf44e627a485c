"""What DAR must be equal to, whatever the records, with few and with many ties."""

import numpy as np
import pytest

from robusteval.metrics.acceptance_threshold import acceptance_threshold
from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.dar import dar
from robusteval.metrics.fpr_at_tpr import fpr_at_tpr

EXACT = 1e-14  # identities between sums of a few rounded shares
many_records = pytest.mark.parametrize("seed", range(25))


def records(seed, n=None):
    """Return (confidence, label, prediction, correct) of random images of known classes.

    Their number, the accuracy, what the confidence says and how often it is tied are random too.
    """
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(20, 400))
    classes = int(rng.integers(2, 12))
    label = rng.integers(0, classes, n)
    correct = rng.random(n) < rng.uniform(0.2, 1)
    correct[0] = True
    prediction = np.where(correct, label, (label + 1) % classes)
    confidence = rng.normal(rng.uniform(-1, 3) * correct, 1).round(int(rng.integers(0, 9)))
    return confidence, label, prediction, correct


def unknown(seed):
    confidence, label, prediction, _ = records(1000 + seed)
    return confidence, np.full_like(label, -1), prediction


@many_records
def test_known_classes(seed):
    confidence, label, prediction, correct = records(seed)
    t = np.random.default_rng(seed).choice(confidence)
    a = accuracy(label, prediction)
    A = np.mean(confidence[correct] >= t)
    B = np.mean(confidence[~correct] >= t) if (~correct).any() else 0
    got = dar(confidence, label, prediction, t)
    assert got == pytest.approx(a * A + (1 - a) * (1 - B), abs=EXACT)
    got = dar(confidence, label, prediction, t, rejected_mistake="wrong")
    assert got == pytest.approx(a * A, abs=EXACT)


@many_records
def test_unknown_classes(seed):
    confidence, label, prediction = unknown(seed)
    t = np.random.default_rng(seed).choice(confidence)
    assert dar(confidence, label, prediction, t) == np.mean(confidence < t)


@many_records
def test_never_and_always_reject(seed):
    confidence, label, prediction, _ = records(seed)
    a = accuracy(label, prediction)
    assert dar(confidence, label, prediction, -np.inf) == a
    assert dar(confidence, label, prediction, np.inf) == pytest.approx(1 - a, abs=EXACT)
    assert dar(*unknown(seed), -np.inf) == 0
    assert dar(*unknown(seed), np.inf) == 1


@many_records
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95, 1])
def test_unknown_dar_and_fpr_add_up_to_one_where_all_clean_images_calibrate(seed, rate):
    confidence, _, _, correct = records(seed)
    t = acceptance_threshold(confidence, correct, mask="all", target_rate=rate)
    other = unknown(seed)
    rejected = 1 - fpr_at_tpr(confidence, other[0], tpr=rate, positive="known")
    assert dar(*other, t) == pytest.approx(rejected, abs=EXACT)


def test_they_do_not_where_only_the_correct_ones_calibrate():
    confidence, _, _, correct = records(3, n=300)
    t = acceptance_threshold(confidence, correct)
    other = unknown(3)
    assert abs(dar(*other, t) + fpr_at_tpr(confidence, other[0], positive="known") - 1) > 0.01


@many_records
def test_clean_dar_at_its_own_threshold(seed):
    confidence, label, prediction, correct = records(seed)
    t = acceptance_threshold(confidence, correct)
    a, A = np.mean(correct), np.mean(confidence[correct] >= t)
    B = np.mean(confidence[~correct] >= t) if (~correct).any() else 0
    assert A >= 0.95
    got = dar(confidence, label, prediction, t)
    assert got >= 0.95 * a + (1 - a) * (1 - B) - EXACT


@many_records
@pytest.mark.parametrize("change", [lambda s: s + 100, lambda s: 8 * s, lambda s: np.exp(s / 4)])
@pytest.mark.parametrize("mask", ["correct", "all"])
def test_only_the_order_of_the_confidences_counts(seed, change, mask):
    confidence, label, prediction, correct = records(seed)
    confidence = confidence.round(6)  # so that 100 + s keeps it
    t = acceptance_threshold(confidence, correct, mask=mask)
    changed = acceptance_threshold(change(confidence), correct, mask=mask)
    expected = dar(confidence, label, prediction, t)
    assert dar(change(confidence), label, prediction, changed) == expected
