import math

import numpy as np
import pytest
from scipy.special import log_softmax

from robusteval.scores.max_softmax import max_softmax

EPS = 2.0**-52


def test_by_hand():
    z = np.array([[0.0, 0.0], [math.log(3), 0.0], [0.0, math.log(9)]])
    # Probabilities 1/2, 3/4 and 9/10, each within a few roundings of log and exp.
    np.testing.assert_allclose(np.exp(max_softmax(z)), [0.5, 0.75, 0.9], rtol=8 * EPS)


def test_against_scipy():
    z = 4 * np.random.default_rng(0).standard_normal((500, 10))
    expected = log_softmax(z, axis=1).max(axis=1)
    # SciPy takes the log of a sum near 1, which costs one rounding of 1 in absolute terms.
    np.testing.assert_allclose(max_softmax(z), expected, atol=8 * EPS, rtol=8 * EPS)


@pytest.mark.parametrize("classes", [2, 10, 1000])
def test_least_value_is_minus_log_k(classes):
    got = max_softmax(np.full((1, classes), 3.0))
    assert got[0] == pytest.approx(-math.log(classes), rel=4 * EPS)  # one log1p of K - 1


def test_certain_images_stay_apart_where_the_probability_is_exactly_one():
    z = np.zeros((5, 10), np.float32)
    z[:, 0] = [40, 50, 100, 300, 700]
    got = max_softmax(z)
    assert np.exp(got).tolist() == [1.0] * 5
    assert (np.diff(got) > 0).all()
    # There, -log p = log(1 + 9 exp(-z)) is 9 exp(-z) to the last digits; expm1 as in exp above.
    np.testing.assert_allclose(got, -9 * np.exp(-z[:, 0].astype(float)), rtol=1e-14)


def test_orders_images_as_the_probability_does():
    z = np.random.default_rng(1).standard_normal((200, 10))
    probability = np.exp(z).max(axis=1) / np.exp(z).sum(axis=1)
    assert np.argsort(max_softmax(z)).tolist() == np.argsort(probability).tolist()


def test_constant_added_to_the_logits_changes_nothing():
    z = np.random.default_rng(2).integers(-8, 8, (50, 10)).astype(np.float32)
    assert max_softmax(z + 1024).tolist() == max_softmax(z).tolist()


def test_huge_logits():
    assert max_softmax(np.array([[3e38, -3e38]], np.float32)).tolist() == [0.0]
