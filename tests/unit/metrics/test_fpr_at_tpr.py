import numpy as np
import pytest
from sklearn.metrics import roc_curve

from robusteval.metrics.fpr_at_tpr import fpr_at_tpr

both_conventions = pytest.mark.parametrize("positive", ["known", "unknown"])


def scores(decimals=12):
    """Return 400 known and 300 unknown scores in [0, 1] that overlap; few decimals give ties."""
    rng = np.random.default_rng(0)
    return rng.beta(4, 2, 400).round(decimals), rng.beta(2, 3, 300).round(decimals)


def test_by_hand_in_both_conventions():
    known = np.array([4.0, 5.0, 6.0, 7.0, 8.0])
    unknown = np.array([1.0, 2.0, 3.0, 6.5, 4.5])
    # Known positive at 3/4: the lower quartile of the known is 5, and 6.5 of five is at least that.
    assert fpr_at_tpr(known, unknown, tpr=0.75, positive="known") == 1 / 5
    # Unknown positive: the upper quartile of the unknown is 4.5, and 4 of five is at most that.
    assert fpr_at_tpr(known, unknown, tpr=0.75, positive="unknown") == 1 / 5
    # All of the unknown ones: the bound is 6.5, and 4, 5, 6 of five are at most that.
    assert fpr_at_tpr(known, unknown, tpr=1, positive="unknown") == 3 / 5
    assert fpr_at_tpr(known, unknown, tpr=1, positive="known") == 2 / 5


def test_conventions_differ_on_the_same_scores():
    known, unknown = np.array([5.0, 6.0, 7.0, 8.0]), np.array([1.0] * 9 + [7.5])
    # One unknown image of ten looks known: a tenth gets in, but catching it flags 5, 6 and 7.
    assert fpr_at_tpr(known, unknown, positive="known") == 0.1
    assert fpr_at_tpr(known, unknown, positive="unknown") == 0.75


@both_conventions
def test_perfect_and_hopeless(positive):
    low, high = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert fpr_at_tpr(high, low, positive=positive) == 0
    assert fpr_at_tpr(low, high, positive=positive) == 1


@both_conventions
def test_equal_scores_count_as_positive(positive):
    assert fpr_at_tpr(np.ones(10), np.ones(10), positive=positive) == 1


@both_conventions
@pytest.mark.parametrize("decimals", [12, 1])
@pytest.mark.parametrize("tpr", [0.8, 0.95])
def test_against_trying_every_threshold(positive, decimals, tpr):
    known, unknown = scores(decimals)
    positives, negatives = (known, unknown) if positive == "known" else (-unknown, -known)
    reached = [t for t in positives if np.mean(positives >= t) >= tpr]
    assert fpr_at_tpr(known, unknown, tpr=tpr, positive=positive) == np.mean(
        negatives >= max(reached)
    )


@both_conventions
@pytest.mark.parametrize("decimals", [12, 1])
def test_against_scikit_learn(positive, decimals):
    known, unknown = scores(decimals)
    label = np.repeat([positive == "known", positive == "unknown"], [len(known), len(unknown)])
    score = np.concatenate([known, unknown]) * (1 if positive == "known" else -1)
    fpr, tpr, _ = roc_curve(label, score, drop_intermediate=False)
    assert fpr_at_tpr(known, unknown, positive=positive) == fpr[tpr >= 0.95][0]


@both_conventions
def test_only_the_order_counts(positive):
    known, unknown = scores()
    expected = fpr_at_tpr(known, unknown, positive=positive)
    assert fpr_at_tpr(np.log(known), np.log(unknown), positive=positive) == expected
    assert fpr_at_tpr(known + 100, unknown + 100, positive=positive) == expected


def test_the_positive_class_has_to_be_named():
    with pytest.raises(TypeError, match="positive"):
        fpr_at_tpr(*scores())
    with pytest.raises(ValueError, match="'id': expected 'known' or 'unknown'"):
        fpr_at_tpr(*scores(), positive="id")


@both_conventions
def test_rate_out_of_range(positive):
    with pytest.raises(ValueError, match="95"):
        fpr_at_tpr(*scores(), tpr=95, positive=positive)
