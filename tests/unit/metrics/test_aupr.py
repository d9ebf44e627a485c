import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

from robusteval.metrics.aupr import aupr

every_option = pytest.mark.parametrize(
    ("positive", "area"),
    [(positive, area) for positive in ("known", "unknown") for area in ("steps", "trapezia")],
)


def scores(decimals=12):
    """Return 400 known and 300 unknown scores in [0, 1] that overlap; few decimals give ties."""
    rng = np.random.default_rng(0)
    return rng.beta(4, 2, 400).round(decimals), rng.beta(2, 3, 300).round(decimals)


def test_by_hand():
    known, unknown = np.array([4.0, 2.0]), np.array([3.0, 1.0])
    # Known positive, from the top: precision 1, 1/2, 2/3, 1/2 at recall 1/2, 1/2, 1, 1.
    assert aupr(known, unknown, positive="known") == 1 / 2 + 1 / 3
    # Unknown positive, from the bottom: the same.
    assert aupr(known, unknown, positive="unknown") == 1 / 2 + 1 / 3
    # Lines: 1 over the first half, then from 1/2 to 2/3.
    expected = 1 / 2 + (1 / 2 + 2 / 3) / 4
    assert aupr(known, unknown, positive="known", area="trapezia") == pytest.approx(expected)


@every_option
@pytest.mark.parametrize("decimals", [12, 1])
def test_against_scikit_learn(positive, area, decimals):
    known, unknown = scores(decimals)
    label = np.repeat([positive == "known", positive == "unknown"], [400, 300])
    score = np.concatenate([known, unknown]) * (1 if positive == "known" else -1)
    if area == "steps":
        expected = average_precision_score(label, score)
    else:
        expected = auc(*precision_recall_curve(label, score)[1::-1])
    # Sums of some hundred terms.
    assert aupr(known, unknown, positive=positive, area=area) == pytest.approx(expected, abs=1e-13)


@every_option
@pytest.mark.parametrize("change", [lambda s: s + 100, np.log, lambda s: 1 / (1 + np.exp(-s))])
def test_only_the_order_counts(positive, area, change):
    known, unknown = scores(9)  # 100 + s keeps nine decimals
    expected = aupr(known, unknown, positive=positive, area=area)
    assert aupr(change(known), change(unknown), positive=positive, area=area) == expected


@every_option
def test_classes_changed_about(positive, area):
    known, unknown = scores()
    other = {"known": "unknown", "unknown": "known"}[positive]
    expected = aupr(known, unknown, positive=positive, area=area)
    assert aupr(-unknown, -known, positive=other, area=area) == expected


@every_option
def test_perfect(positive, area):
    assert aupr(np.array([3.0, 4]), np.array([1.0, 2]), positive=positive, area=area) == 1


def test_a_score_that_says_nothing_has_the_share_of_the_positives():
    for positive, share in (("known", 0.75), ("unknown", 0.25)):
        assert aupr(np.ones(300), np.ones(100), positive=positive) == share


def test_the_two_classes_differ():
    known, unknown = scores()
    assert aupr(known, unknown, positive="known") > aupr(known, unknown, positive="unknown") + 0.01


def test_errors():
    known, unknown = scores()
    with pytest.raises(TypeError, match="positive"):
        aupr(known, unknown)
    with pytest.raises(ValueError, match="'in': expected 'known' or 'unknown'"):
        aupr(known, unknown, positive="in")
    with pytest.raises(ValueError, match="'line': expected 'steps' or 'trapezia'"):
        aupr(known, unknown, positive="known", area="line")
    with pytest.raises(ValueError, match=r"unknown_score \(0,\)"):
        aupr(known, unknown[:0], positive="known")
    with pytest.raises(ValueError, match="known_score holds 1 values"):
        aupr(np.append(known, np.inf), unknown, positive="known")
