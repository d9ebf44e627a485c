import numpy as np
import pytest

from robusteval.metrics.auroc import auroc
from robusteval.metrics.oscr import oscr


def records(decimals=12):
    """Return 400 known scores, which of them are right, and 300 unknown scores."""
    rng = np.random.default_rng(0)
    correct = rng.random(400) < 0.7
    known = rng.beta(np.where(correct, 5, 2), 2).round(decimals)
    return known, correct, rng.beta(2, 3, 300).round(decimals)


def test_by_hand():
    known, correct = np.array([4.0, 3, 2, 1]), np.array([True, False, True, True])
    # Ahead of 2.5 and 1.5: 4 of both, 2 of one, 1 of none; the 3 is wrong. 3 of 8 pairs.
    assert oscr(known, correct, np.array([2.5, 1.5])) == 3 / 8
    # Tied with 2 counts half: 4 over both, 2 half and one: 3.5 of 8.
    assert oscr(known, correct, np.array([2.0, 1.5])) == 3.5 / 8


@pytest.mark.parametrize("decimals", [12, 1])
def test_is_the_area_under_the_curve(decimals):
    known, correct, unknown = records(decimals)
    thresholds = np.unique(np.concatenate([known, unknown]))[::-1]
    ccr = [np.mean(correct & (known >= t)) for t in [np.inf, *thresholds]]
    fpr = [np.mean(unknown >= t) for t in [np.inf, *thresholds]]
    # 700 trapezia, each rounding by 1e-16.
    assert oscr(known, correct, unknown) == pytest.approx(np.trapezoid(ccr, fpr), abs=1e-13)


@pytest.mark.parametrize("decimals", [12, 1])
def test_is_accuracy_times_auroc_of_the_correct_ones(decimals):
    known, correct, unknown = records(decimals)
    expected = correct.mean() * auroc(known[correct], unknown)
    assert oscr(known, correct, unknown) == pytest.approx(expected, abs=1e-13)  # 700 trapezia


def test_bounds():
    known, correct, unknown = records()
    assert oscr(known, correct, unknown - 10) == pytest.approx(correct.mean(), rel=1e-15)
    assert oscr(known, correct, unknown + 10) == 0
    assert oscr(known, np.zeros(400, bool), unknown) == 0
    assert oscr(np.ones(400), correct, np.ones(300)) == pytest.approx(correct.mean() / 2, rel=1e-15)


@pytest.mark.parametrize("change", [lambda s: s + 100, np.log, lambda s: 3 * s - 7])
def test_only_the_order_counts(change):
    known, correct, unknown = records(9)  # 100 + s keeps nine decimals
    assert oscr(change(known), correct, change(unknown)) == oscr(known, correct, unknown)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unknown_score": np.empty(0)}, r"unknown_score \(0,\)"),
        ({"known_score": np.empty(0), "correct": np.empty(0, bool)}, r"known_score \(0,\)"),
        ({"correct": np.ones(3)}, r"correct \(3,\)"),
        ({"correct": np.ones(2)}, "type float64: expected bool"),
        ({"unknown_score": np.array([np.nan])}, "unknown_score holds 1 values"),
    ],
)
def test_errors(change, message):
    good = {"known_score": np.ones(2), "correct": np.ones(2, bool), "unknown_score": np.ones(1)}
    with pytest.raises(ValueError, match=message):
        oscr(**good | change)
