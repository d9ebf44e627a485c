"""Paired tests against closed forms and scipy's."""

import numpy as np
import pytest
from scipy.stats import binomtest

from robusteval.paired import bootstrap, holm, mcnemar
from robusteval.seeds import generator


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 1), (1, 9), (5, 5), (40, 70), (3_000, 3_150)])
def test_mcnemar_is_the_binomial_test_of_the_images_that_differ(only_a, only_b):
    first = np.repeat([True, False, True, False], [only_a, only_b, 7, 3])
    second = np.repeat([False, True, True, False], [only_a, only_b, 7, 3])
    a, b, p = mcnemar(first, second)
    assert (a, b) == (only_a, only_b)
    expected = binomtest(only_a, only_a + only_b, 0.5).pvalue
    assert p == pytest.approx(expected, rel=1e-9)  # lgamma has about 13 digits of such sums


def test_mcnemar_without_a_difference_is_one():
    same = np.array([True, False])
    assert mcnemar(same, same) == (0, 0, 1.0)


def test_bootstrap_of_a_shift_and_of_none():
    noise = generator(1, "noise").normal(0, 0.1, 500)
    low, high, p = bootstrap(noise - noise.mean() + 0.02, generator(0, "b"))
    # 1.96 standard errors of .1 / sqrt(500); a bootstrap of 2,000 draws is off by some per cent.
    assert low == pytest.approx(0.02 - 0.00877, abs=0.0008)
    assert high == pytest.approx(0.02 + 0.00877, abs=0.0008)
    assert p < 0.002
    assert bootstrap(noise - noise.mean(), generator(0, "b"))[2] > 0.8


def test_bootstrap_depends_on_its_generator_alone_and_not_on_chunks(monkeypatch):
    values = generator(1, "v").normal(0, 1, 40)
    whole = bootstrap(values, generator(3, "b"))
    assert whole == bootstrap(values, generator(3, "b")) != bootstrap(values, generator(4, "b"))
    monkeypatch.setattr("robusteval.paired.CHUNK", 400)
    assert bootstrap(values, generator(3, "b")) == whole


def test_bootstrap_of_equal_answers_and_of_one_image():
    assert bootstrap(np.zeros(30), generator(0, "b")) == (0.0, 0.0, 1.0)
    low, high, p = bootstrap(np.ones(1), generator(0, "b"))
    assert np.isnan([low, high]).all() and p == 1.0


def test_holm_by_hand():
    # Smallest times 4, next times 3, ...; never smaller than the one before, at most 1.
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5], rel=1e-12)
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
