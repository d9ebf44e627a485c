import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from robusteval.metrics.auroc import auroc


def scores(decimals=12):
    """Return 400 known and 300 unknown scores in [0, 1] that overlap; few decimals give ties."""
    rng = np.random.default_rng(0)
    known, unknown = rng.beta(4, 2, 400), rng.beta(2, 3, 300)
    return known.round(decimals), unknown.round(decimals)


def pairs_in_order(known, unknown):
    """Return the share of (known, unknown) pairs with the known one ahead, ties counting half."""
    difference = known[:, None] - unknown
    return (np.sum(difference > 0) + np.sum(difference == 0) / 2) / difference.size


@pytest.mark.parametrize(
    ("known", "unknown", "expected"),
    [
        ([0.8, 0.9], [0.1, 0.2], 1.0),
        ([0.1, 0.2], [0.8, 0.9], 0.0),
        ([0.5, 0.5], [0.5], 0.5),
        ([0.2, 0.9], [0.5, 0.2], 0.625),  # pairs: lost, tied, won, won
    ],
)
def test_by_hand(known, unknown, expected):
    assert auroc(np.array(known), np.array(unknown)) == expected


@pytest.mark.parametrize("decimals", [12, 1])
def test_is_the_share_of_pairs_in_order(decimals):
    known, unknown = scores(decimals)
    # The area is a sum of a few hundred trapezia, each rounding by 1e-16.
    assert auroc(known, unknown) == pytest.approx(pairs_in_order(known, unknown), abs=1e-13)


@pytest.mark.parametrize("decimals", [12, 1])
def test_against_scikit_learn(decimals):
    known, unknown = scores(decimals)
    label = np.repeat([True, False], [400, 300])
    expected = roc_auc_score(label, np.concatenate([known, unknown]))
    # Both areas are sums of a few hundred trapezia, each rounding by 1e-16.
    assert auroc(known, unknown) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("decimals", [12, 1])
def test_against_torchmetrics(decimals):
    import torch
    from torchmetrics.functional.classification import binary_auroc

    known, unknown = scores(decimals)
    # Scores are in [0, 1]: outside, torchmetrics applies a sigmoid, which changes them.
    confidence = torch.tensor(np.concatenate([known, unknown]))
    target = torch.tensor([1] * len(known) + [0] * len(unknown))
    # It adds up in float32: 700 points at 6e-8 each.
    expected = binary_auroc(confidence, target).item()
    assert auroc(known, unknown) == pytest.approx(expected, abs=700 * 6e-8)


@pytest.mark.parametrize(
    "monotone",
    [np.exp, np.log, lambda s: 3 * s - 7, lambda s: s + 100, lambda s: 1 / (1 + np.exp(-s))],
)
def test_only_the_order_counts(monotone):
    known, unknown = scores()
    assert auroc(monotone(known), monotone(unknown)) == auroc(known, unknown)


def test_classes_changed_about():
    known, unknown = scores()
    # Both areas are sums of a few hundred trapezia, each rounding by 1e-16.
    assert auroc(-unknown, -known) == pytest.approx(auroc(known, unknown), abs=1e-13)
    assert auroc(unknown, known) == pytest.approx(1 - auroc(known, unknown), abs=1e-13)


def test_scores_that_float32_cannot_tell_apart():
    known, unknown = np.array([1 - 1e-12]), np.array([1 - 2e-12])
    assert auroc(known, unknown) == 1.0


def test_one_side_empty():
    with pytest.raises(ValueError, match=r"unknown_score \(0,\)"):
        auroc(np.array([0.5]), np.array([]))


def test_nan_has_no_order():
    with pytest.raises(ValueError, match="known_score holds 1 values"):
        auroc(np.array([0.5, np.nan]), np.array([0.1]))
