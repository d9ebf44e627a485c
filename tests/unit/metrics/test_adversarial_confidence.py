import math

import numpy as np
import pytest

from robusteval.metrics.acac import acac
from robusteval.metrics.actc import actc
from robusteval.metrics.nte import nte

P = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.25, 0.35, 0.40]])
Y = np.array([0, 0, 1])
SUCCESS = P.argmax(1) != Y
NONE = np.zeros(3, bool)


def test_by_hand():
    assert SUCCESS.tolist() == [True, False, True]
    # Means of two numbers in float64.
    assert acac(P, SUCCESS) == pytest.approx(0.55, abs=1e-15)
    assert actc(P, Y, SUCCESS) == pytest.approx(0.225, abs=1e-15)
    assert nte(P, SUCCESS) == pytest.approx(0.275, abs=1e-15)


def test_two_classes():
    p = np.array([[0.2, 0.8]])
    yes = np.array([True])
    assert (acac(p, yes), actc(p, np.array([0]), yes)) == (0.8, 0.2)
    assert nte(p, yes) == pytest.approx(0.6, abs=1e-15)


def test_against_a_loop_in_any_order():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(7), 50)
    y, success = rng.integers(0, 7, 50), rng.random(50) < 0.6
    sums = np.zeros(3)
    for row, label in zip(p[success], y[success], strict=True):
        first, second = sorted(row)[::-1][:2]
        sums += first, row[label], first - second
    found = acac(p, success), actc(p, y, success), nte(p, success)
    # Sums of some 30 numbers below 1, in another order.
    assert found == pytest.approx(sums / success.sum(), abs=1e-14)
    turned = acac(p[::-1], success[::-1]), actc(p[::-1], y[::-1], success[::-1])
    assert turned == pytest.approx(found[:2], abs=1e-14)


def test_nan_without_success():
    assert math.isnan(acac(P, NONE)) and math.isnan(actc(P, Y, NONE)) and math.isnan(nte(P, NONE))


@pytest.mark.parametrize("metric", [acac, nte, lambda p, s: actc(p, Y, s)])
def test_arguments_that_cannot_be_used_are_named(metric):
    with pytest.raises(ValueError, match=r"image 1 sums to 1\.1 .*of logits take softmax"):
        metric(P * [[1], [1.1], [1]], SUCCESS)
    with pytest.raises(ValueError, match="image 2 sums to nan"):
        metric(P * [[1], [1], [np.nan]], SUCCESS)
    with pytest.raises(ValueError, match=r"image 0 sums to 1 with the smallest -0\.1"):
        metric(np.array([[-0.1, 0.8, 0.3], *P[1:]]), SUCCESS)
    with pytest.raises(ValueError, match=r"\(3, 1\): expected \(N, K\), N at least 1 and K at"):
        metric(np.ones((3, 1)), SUCCESS)
    with pytest.raises(ValueError, match="success has type int64"):
        metric(P, SUCCESS.astype(np.int64))
    with pytest.raises(ValueError, match=r"success \(2,\): expected"):
        metric(P, SUCCESS[:2])


def test_a_label_must_be_a_class():
    for wrong in (-1, 3):
        with pytest.raises(ValueError, match=f"label {wrong}: expected one of 0 to 2"):
            actc(P, np.array([0, wrong, 1]), SUCCESS)
    with pytest.raises(ValueError, match=r"label \(2,\), probability \(3, 3\)"):
        actc(P, Y[:2], SUCCESS)
