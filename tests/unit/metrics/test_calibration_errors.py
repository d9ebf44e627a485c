"""ECE and the adaptive calibration error."""

import numpy as np
import pytest

from robusteval.metrics.adaptive_calibration_error import adaptive_calibration_error
from robusteval.metrics.ece import ece

METRICS = [ece, adaptive_calibration_error]


def records(decimals=12, n=600):
    """Return probabilities that are too large, and what is right."""
    rng = np.random.default_rng(0)
    p = rng.beta(4, 1, n).round(decimals)
    return p, rng.random(n) < p**2


def test_ece_by_hand():
    # Bins (0, 1/2] and (1/2, 1]: 0.5 belongs to the first, 0 too.
    p = np.array([0.0, 0.5, 0.75, 1.0])
    correct = np.array([False, True, False, True])
    # |1 - 0.5| and |1 - 1.75| over four images.
    assert ece(p, correct, bins=2) == (0.5 + 0.75) / 4


def test_adaptive_by_hand():
    p = np.array([0.9, 0.8, 0.7, 0.6, 0.55, 0.5])
    correct = np.array([True, False, True, True, False, False])
    # Ranges of two: |1 - 1.7|, |2 - 1.3|, |0 - 1.05|.
    expected = (0.7 + 0.7 + 1.05) / 6
    assert adaptive_calibration_error(p, correct, bins=3) == pytest.approx(expected, rel=1e-14)
    # Ranges of one and a half: halves of the second and the fifth.
    parts = [1 - 0.9 - 0.4, -0.4 + 0.3, 0.4 - 0.275, -0.275 - 0.5]
    got = adaptive_calibration_error(p, correct, bins=4)
    assert got == pytest.approx(np.abs(parts).sum() / 6, rel=1e-14)


def test_ece_against_torchmetrics():
    import torch
    from torchmetrics.functional.classification import multiclass_calibration_error

    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(5, 0.5), 700).astype(np.float32)
    label = rng.integers(0, 5, 700)
    expected = multiclass_calibration_error(
        torch.tensor(p), torch.tensor(label), num_classes=5, n_bins=15, norm="l1"
    ).item()
    # It adds up in float32.
    assert ece(p.max(axis=1), p.argmax(axis=1) == label) == pytest.approx(expected, abs=1e-5)


def test_ece_against_a_loop_over_the_bins():
    p, correct = records(2)  # many on the bounds of twenty bins
    p = p * 100 // 5 / 20
    expected = 0.0
    for b in range(20):
        inside = (p > b / 20) & (p <= (b + 1) / 20) if b else p <= 1 / 20
        if inside.any():
            expected += inside.mean() * abs(correct[inside].mean() - p[inside].mean())
    # Twenty means of up to 200 terms.
    assert ece(p, correct, bins=20) == pytest.approx(expected, abs=1e-13)


def test_adaptive_against_sorting():
    p, correct = records()
    order = np.argsort(p)
    gaps = [abs(correct[o].mean() - p[o].mean()) for o in np.split(order, 15)]
    assert adaptive_calibration_error(p, correct) == pytest.approx(np.mean(gaps), abs=1e-13)


@pytest.mark.parametrize("metric", METRICS)
def test_one_bin_is_the_gap_between_confidence_and_accuracy(metric):
    p, correct = records()
    expected = abs(correct.mean() - p.mean())
    assert metric(p, correct, bins=1) == pytest.approx(expected, abs=1e-13)  # 600 terms


@pytest.mark.parametrize("metric", METRICS)
def test_more_bins_find_more(metric):
    p, correct = records()
    # Each bin of 5 is split into 3 of 15.
    assert metric(p, correct, bins=15) >= metric(p, correct, bins=5) - 1e-13


def test_they_differ_where_most_confidences_are_in_one_bin():
    # 95% of which all are right and 99% of which 94% are make up for each other in one bin.
    p, correct = np.repeat([0.95, 0.99], 100), np.arange(200) < 194
    assert ece(p, correct) == pytest.approx(0, abs=1e-13)  # 200 terms
    assert adaptive_calibration_error(p, correct, bins=2) == pytest.approx(0.05, abs=1e-13)


@pytest.mark.parametrize("metric", METRICS)
def test_values_count_and_not_only_their_order(metric):
    p, correct = records()
    assert abs(metric(p**2, correct) - metric(p, correct)) > 0.05


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("decimals", [12, 1])
def test_order_of_the_images_does_not_count(metric, decimals):
    p, correct = records(decimals)
    # Sums of 600 terms in another order.
    assert metric(p[::-1], correct[::-1]) == pytest.approx(metric(p, correct), abs=1e-13)


@pytest.mark.parametrize("metric", METRICS)
def test_bounds(metric):
    assert metric(np.ones(30), np.zeros(30, bool)) == 1
    assert metric(np.ones(30), np.ones(30, bool)) == 0
    assert metric(np.zeros(30), np.zeros(30, bool)) == 0


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": np.full(20, 100.5)}, "confidence from 100.5 to 100.5: expected prob"),
        ({"confidence": np.full(20, -0.1)}, "of a log-probability take exp"),
        ({"confidence": np.full(20, np.nan)}, "confidence holds 20 values"),
        ({"correct": np.ones(19, bool)}, r"correct \(19,\)"),
        ({"correct": np.ones(20)}, "type float64: expected bool"),
        ({"bins": 0}, "bins 0"),
    ],
)
def test_errors(metric, change, message):
    with pytest.raises(ValueError, match=message):
        metric(**{"confidence": np.full(20, 0.5), "correct": np.ones(20, bool)} | change)


def test_more_ranges_than_images():
    with pytest.raises(ValueError, match="15 bins of 14 images"):
        adaptive_calibration_error(np.full(14, 0.5), np.ones(14, bool))
