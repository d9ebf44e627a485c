import math

import numpy as np
import pytest

from robusteval.metrics._twins import check_class_lists
from robusteval.metrics.cav import cav
from robusteval.metrics.ccv import ccv
from robusteval.metrics.cos import cos, divergence
from robusteval.metrics.crr import crr
from robusteval.metrics.csr import csr
from robusteval.published.identities import accuracy_variance

Y = np.array([0, 0, 1, 1, 0, 1])


def two(*first):
    return np.array([[p, 1 - p] for p in first])


P = two(0.9, 0.4, 0.2, 0.7, 0.6, 0.6)
D = two(0.8, 0.7, 0.4, 0.9, 0.3, 0.2)


def test_by_hand():
    said = Y, P.argmax(1), D.argmax(1)
    # Means over six and over two images, in float64.
    assert cav(*said) == pytest.approx(1 / 6, abs=1e-15)
    assert crr(*said) == 2 / 6
    assert csr(*said) == 1 / 6
    assert ccv(Y, P, D) == pytest.approx(0.15, abs=1e-15)
    assert divergence(P[[0, 2]], D[[0, 2]]) == pytest.approx(
        [0.0099663893, 0.0241572568],
        abs=1e-10,  # as printed
    )
    assert cos(Y, P, D) == pytest.approx(0.0170618231, abs=1e-10)


def test_outputs_that_share_nothing_are_ln_2_apart():
    assert divergence(two(1.0), two(0.0)).tolist() == [math.log(2)]
    assert divergence(P, P).tolist() == [0.0] * 6


@pytest.fixture
def random_twins():
    rng = np.random.default_rng(3)
    return rng.integers(0, 5, 200), *(rng.dirichlet(np.ones(5), 200) for _ in range(2))


def test_identities_on_random_outputs(random_twins):
    y, p, q = random_twins
    said = y, p.argmax(1), q.argmax(1)
    # Differences of shares of 200.
    assert cav(*said) == pytest.approx(accuracy_variance(crr(*said), csr(*said)), abs=1e-15)
    assert 0 <= cos(y, p, q) <= math.log(2)
    assert cos(y, p, q) == cos(y, q, p) and ccv(y, p, q) == ccv(y, q, p)


def test_against_scipy_and_a_loop(random_twins):
    from scipy.spatial.distance import jensenshannon

    y, p, q = random_twins
    right = [i for i in range(200) if p[i].argmax() == y[i] == q[i].argmax()]
    assert len(right) > 3
    # Float64 sums in another order; SciPy gives the root of the divergence.
    expected = np.mean([jensenshannon(p[i], q[i]) ** 2 for i in right])
    assert cos(y, p, q) == pytest.approx(expected, rel=1e-12)
    expected = np.mean([abs(p[i, y[i]] - q[i, y[i]]) for i in right])
    assert ccv(y, p, q) == pytest.approx(expected, rel=1e-12)
    turned = y[::-1], p[::-1], q[::-1]
    assert cos(*turned) == pytest.approx(cos(y, p, q), rel=1e-12)


def test_nan_where_they_are_never_both_right():
    wrong = 1 - P.argmax(1)
    assert math.isnan(ccv(wrong, P, D)) and math.isnan(cos(wrong, P, D))


def test_another_class_list_is_refused():
    for metric in (ccv, cos):
        with pytest.raises(ValueError, match=r"\(6, 2\), defended \(6, 3\).* same class list"):
            metric(Y, P, np.hstack([D, np.zeros((6, 1))]))
    check_class_lists(["cat", "dog"], ["cat", "dog"])
    with pytest.raises(ValueError, match="defended model has 3 classes, its twin 2: expected"):
        check_class_lists(["cat", "dog"], ["cat", "dog", "cow"])
    with pytest.raises(
        ValueError, match="class 0 of the defended model is 'dog', of its twin 'cat'"
    ):
        check_class_lists(["cat", "dog"], ["dog", "cat"])


@pytest.mark.parametrize("metric", [cav, crr, csr])
def test_predictions_that_cannot_be_used_are_named(metric):
    with pytest.raises(ValueError, match=r"prediction \(6,\), defended \(5,\)"):
        metric(Y, Y, Y[:5])
    with pytest.raises(ValueError, match="label -1: expected 0 or more"):
        metric(Y - 1, Y, Y)
