"""Scores computed from logits alone, against numbers by hand, SciPy, and each other."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp, softmax
from scipy.stats import entropy

from robusteval.scores._logits import log_softmax
from robusteval.scores.energy import energy
from robusteval.scores.gen import gen
from robusteval.scores.margin import margin
from robusteval.scores.max_logit import max_logit
from robusteval.scores.max_softmax import max_softmax
from robusteval.scores.negative_entropy import negative_entropy

EPS = 2.0**-52
OF_PROBABILITIES = [max_softmax, negative_entropy, gen, margin]
NOT_NORMALISED = [max_logit, energy]


def logits(n=300, classes=10, scale=3, seed=0):
    return scale * np.random.default_rng(seed).standard_normal((n, classes))


def order(score):
    return np.argsort(score, kind="stable").tolist()


def test_by_hand():
    z = np.log([[0.25, 0.25, 0.5], [0.2, 0.7, 0.1]])  # logits that are log-probabilities
    near = {"rtol": 16 * EPS, "atol": 16 * EPS}  # a few roundings of log and exp each
    np.testing.assert_allclose(max_logit(z + 1), 1 + np.log([0.5, 0.7]), **near)
    np.testing.assert_allclose(energy(z + 1), [1, 1], **near)
    np.testing.assert_allclose(margin(z), np.log([2, 3.5]), **near)
    bits = [-1.5, 0.2 * math.log2(0.2) + 0.7 * math.log2(0.7) + 0.1 * math.log2(0.1)]
    np.testing.assert_allclose(negative_entropy(z) / math.log(2), bits, **near)
    # p (1 - p): 3/16, 3/16, 1/4 and 0.16, 0.21, 0.09.
    np.testing.assert_allclose(gen(z, gamma=1), [-0.625, -0.46], **near)
    np.testing.assert_allclose(gen(z, gamma=1, top=2), [-0.4375, -0.37], **near)
    roots = np.sqrt([[3 / 16, 3 / 16, 1 / 4], [0.16, 0.21, 0.09]]).sum(axis=1)
    np.testing.assert_allclose(gen(z, gamma=0.5), -roots, **near)


def test_log_probabilities_add_up():
    z = logits(classes=100)
    # A hundred terms, each rounded a few times.
    np.testing.assert_allclose(np.exp(log_softmax(z)).sum(axis=1), 1, rtol=100 * EPS)


def test_energy_against_scipy():
    z = logits()
    # Two sums of ten terms in another order.
    np.testing.assert_allclose(energy(z), logsumexp(z, axis=1), rtol=20 * EPS, atol=20 * EPS)
    got = energy(z, temperature=5)
    np.testing.assert_allclose(got, 5 * logsumexp(z / 5, axis=1), rtol=20 * EPS, atol=50 * EPS)


def test_entropy_against_scipy():
    z = logits()
    # SciPy works on probabilities, whose logarithms round by up to EPS / p in relative terms.
    expected = -entropy(softmax(z, axis=1), axis=1)
    np.testing.assert_allclose(negative_entropy(z), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("gamma", [0.1, 0.5, 2])
@pytest.mark.parametrize("top", [1, 3, 10, 100])
def test_gen_against_its_formula(gamma, top):
    p = -np.sort(-softmax(logits(), axis=1), axis=1)[:, :top]
    expected = -np.sum(p**gamma * (1 - p) ** gamma, axis=1)
    # 1 - p rounds by EPS, and the least 1 - p here is 1e-4: 1e-12 in relative terms.
    np.testing.assert_allclose(gen(logits(), gamma=gamma, top=top), expected, rtol=1e-11)


@pytest.mark.parametrize("score", [max_softmax, negative_entropy, gen, margin])
def test_certain_images_stay_apart_where_the_probability_is_exactly_one(score):
    z = np.zeros((5, 10), np.float32)
    z[:, 0] = [40, 50, 100, 300, 700]
    assert (np.diff(score(z)) > 0).all()


def test_gen_of_a_certain_image():
    z = np.array([[300.0, 0, 0]])
    # p = exp(-300) twice, and 1 - p = 2 exp(-300) of the first: 0.1 of the exponents is left.
    expected = -math.exp(-30) * (2 + 2**0.1)
    assert gen(z)[0] == pytest.approx(expected, rel=1e-13)  # exp of 30 +- 30 EPS, three terms


@pytest.mark.parametrize("score", OF_PROBABILITIES)
def test_adding_a_constant_to_an_image_changes_nothing(score):
    z = np.random.default_rng(2).integers(-8, 8, (50, 10)).astype(np.float32)
    constants = np.random.default_rng(3).integers(-512, 512, (50, 1))
    assert score(z + constants).tolist() == score(z).tolist()


@pytest.mark.parametrize("score", NOT_NORMALISED)
def test_adding_a_constant_adds_it_to_scores_that_are_not_normalised(score):
    z = logits()
    # Sums near 100 round by 1e-14.
    np.testing.assert_allclose(score(z + 100), score(z) + 100, atol=1e-13, rtol=0)
    assert order(score(z + 100)) == order(score(z))


@pytest.mark.parametrize("score", [negative_entropy, gen, margin])
def test_two_classes_leave_one_order(score):
    z = logits(classes=2)
    assert order(score(z)) == order(max_softmax(z))


def test_more_classes_leave_several():
    z = logits()
    scores = (max_softmax, negative_entropy, gen, margin, max_logit, energy)
    assert len({tuple(order(score(z))) for score in scores}) == 6


def test_least_certain_image():
    z = np.full((1, 8), 3.0)
    near = {"rel": 20 * EPS}  # eight equal terms
    assert negative_entropy(z)[0] == pytest.approx(-math.log(8), **near)
    assert gen(z, gamma=1)[0] == pytest.approx(-7 / 8, **near)
    assert energy(z)[0] == pytest.approx(3 + math.log(8), **near)
    assert margin(z)[0] == 0


@pytest.mark.parametrize("score", OF_PROBABILITIES + NOT_NORMALISED)
def test_a_broken_image_is_named(score):
    z = logits()
    z[[7, 9], 3] = np.nan, -np.inf
    with pytest.raises(ValueError, match="2 of 300 images, the first at row 7, hold NaN"):
        score(z)


@pytest.mark.parametrize(
    ("score", "setting", "message"),
    [
        (energy, {"temperature": 0}, "temperature 0"),
        (energy, {"temperature": np.nan}, "temperature nan"),
        (gen, {"gamma": 0}, "gamma 0"),
        (gen, {"top": 0}, "top 0"),
    ],
)
def test_settings(score, setting, message):
    with pytest.raises(ValueError, match=message):
        score(logits(), **setting)
