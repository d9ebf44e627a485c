import numpy as np
import pytest
from scipy.stats import kendalltau

from robusteval.metrics.kendall_tau import kendall_tau


def test_by_hand():
    first = np.array([1.0, 2, 3, 4])
    assert kendall_tau(first, first) == 1
    assert kendall_tau(first, -first) == -1
    # Of six pairs one is turned; then one of them is tied.
    assert kendall_tau(first, np.array([1.0, 3, 2, 4])) == pytest.approx(4 / 6, rel=1e-15)
    assert kendall_tau(first, np.array([1.0, 2, 2, 4])) == pytest.approx(5 / 30**0.5, rel=1e-15)


@pytest.mark.parametrize("decimals", [12, 0])
@pytest.mark.parametrize("seed", range(5))
def test_against_scipy(seed, decimals):
    a, b = np.random.default_rng(seed).standard_normal((2, 40)).round(decimals)
    # Counts are whole numbers; a root and a quotient round.
    assert kendall_tau(a, a + b) == pytest.approx(kendalltau(a, a + b).statistic, rel=1e-14)


def test_only_the_orders_count():
    a, b = np.random.default_rng(0).standard_normal((2, 18)).round(9)  # 100 + a keeps nine
    assert kendall_tau(a + 100, np.exp(b)) == kendall_tau(a, b) == kendall_tau(b, a)
    assert kendall_tau(-a, b) == -kendall_tau(a, b)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1.0, 1, 1], [1.0, 2, 3], "one value for all 3 models in the first measurement"),
        ([1.0, 2, 3], [2.0, 2, 2], "one value for all 3 models in the second measurement"),
        ([1.0], [2.0], "one value for all 1 models"),
        ([1.0, 2], [2.0], r"second \(1,\)"),
        ([1.0, np.nan], [2.0, 3], "first holds 1 values"),
    ],
)
def test_errors(first, second, message):
    with pytest.raises(ValueError, match=message):
        kendall_tau(np.array(first), np.array(second))
