import numpy as np
import pytest

from robusteval.clustered import difference, half_width, influence
from robusteval.intervals import normal
from robusteval.seeds import generator


def test_one_set_has_the_interval_of_a_mean():
    values = generator(1, "clustered").random(50)
    low, high = normal(values)
    half = half_width(influence([values], [np.arange(50)], [1.0]))
    # Both are sums of 50 numbers in another order: some 1e-16 each.
    assert (high - low) / 2 == pytest.approx(half, rel=1e-12)


def test_the_same_image_again_is_not_another_image():
    values = generator(2, "clustered").random(40)
    ids = np.arange(40)
    once = half_width(influence([values], [ids], [1.0]))
    again = half_width(influence([values] * 4, [ids] * 4, [0.25] * 4))
    others = half_width(influence([values] * 4, [ids + 40 * i for i in range(4)], [0.25] * 4))
    assert again == pytest.approx(once, rel=1e-12)  # rounding of sums
    # A quarter of the variance; n / (n - 1) is 160 / 159 in place of 40 / 39.
    assert others == pytest.approx(once / 2 * np.sqrt(160 / 159 * 39 / 40), rel=1e-12)


def test_the_interval_holds_the_mean_as_often_as_it_says():
    rng, hits = generator(3, "clustered"), 0
    for _ in range(500):
        common = rng.normal(size=(60, 1))  # what the sets of an image share
        shares = (common + rng.normal(size=(60, 3)) > 0.5).astype(float)
        ids = [np.arange(60)] * 3
        half = half_width(influence(list(shares.T), ids, [1 / 3] * 3))
        hits += abs(shares.mean() - 0.36184) < half  # P(N(0, 2) > 0.5)
    # 95% of 500 is 475, give or take 5; three of these, and the normal one is a little short at 60.
    assert 455 <= hits <= 493


def test_a_difference_is_paired_by_image():
    first = influence([np.array([1.0, 0, 1, 0])], [np.array([1, 2, 3, 4])], [1.0])
    assert half_width(difference(first, first)) == 0
    held = influence([np.array([1.0, 0])], [np.array([4, 5])], [1.0])
    both = difference(first, held)
    assert both.image.tolist() == [1, 2, 3, 4, 5]
    assert both.shift.tolist() == [0.125, -0.125, 0.125, -0.375, 0.25]


def test_one_image_has_no_spread():
    assert np.isnan(half_width(influence([np.ones(1)], [np.array([7])], [1.0])))


@pytest.mark.parametrize(
    ("values", "images", "weights"),
    [([], [], []), ([np.ones(2)], [np.ones(3, int)], [1.0]), ([np.ones(2)], [np.arange(2)], [])],
)
def test_what_does_not_fit_is_said(values, images, weights):
    with pytest.raises(ValueError, match="expected"):
        influence(values, images, weights)
