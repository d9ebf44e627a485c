import numpy as np
import pytest

from robusteval.metrics.auroc import auroc
from robusteval.metrics.oscr import oscr
from robusteval.pairs import pairs_interval
from robusteval.seeds import generator


def test_by_hand():
    known, unknown = np.array([1.0, 3.0]), np.array([0.0, 1.0, 2.0])
    # Shares: of the known 1.5 / 3 and 3 / 3; of the unknown 2 / 2, 1.5 / 2 and 1 / 2.
    half = 1.959963985 * np.sqrt(np.var([0.5, 1], ddof=1) / 2 + np.var([1, 0.75, 0.5], ddof=1) / 3)
    low, high = pairs_interval(known, unknown)
    assert low == pytest.approx(0.75 - half, abs=1e-9)  # ten digits of the quantile
    assert high == 1.0  # cut


def test_the_middle_is_auroc_and_oscr():
    rng = generator(1, "pairs")
    known, unknown = rng.normal(1, 1, 300).round(1), rng.normal(0, 1, 200).round(1)  # with ties
    right = rng.random(300) < 0.7
    area, open_area = pairs_interval(known, unknown), pairs_interval(known, unknown, counted=right)
    # Both are shares of 60,000 pairs, counted exactly up to rounding.
    assert np.mean(area) == pytest.approx(auroc(known, unknown), abs=1e-12)
    assert np.mean(open_area) == pytest.approx(oscr(known, right, unknown), abs=1e-12)


@pytest.mark.parametrize("share", [1.0, 0.7], ids=["auroc", "oscr"])
def test_the_interval_holds_the_area_as_often_as_it_says(share):
    rng, hits = generator(2, "pairs", share != 1), 0
    truth = share * 0.7602499  # P(N(1, 2) > 0)
    for _ in range(500):
        known, unknown = rng.normal(1, 1, 80), rng.normal(0, 1, 60)
        low, high = pairs_interval(known, unknown, counted=rng.random(80) < share)
        hits += low < truth < high
    assert 455 <= hits <= 493  # 475 of 500, give or take 5, three times, and a little short


def test_few_images():
    ends = pairs_interval(np.ones(1), np.zeros(5))
    assert np.isnan(ends).all()
    none = pairs_interval(np.ones(3), np.zeros(3), counted=np.zeros(3, bool))
    assert none == (0.0, 0.0)
    with pytest.raises(ValueError, match="expected"):
        pairs_interval(np.ones(3), np.empty(0))
