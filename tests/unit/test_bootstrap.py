import math

import numpy as np
import pytest

from robusteval.bootstrap import bootstrap
from robusteval.seeds import generator


def test_the_interval_of_a_mean_is_the_normal_one_for_many_values():
    values = generator(0).normal(5, 2, size=1000)
    low, high = bootstrap(values, np.mean, generator(1))
    half = 1.96 * values.std() / math.sqrt(1000)
    # A quantile at 2.5% of 2,000 resamples has a standard error of 0.06 standard errors of the
    # mean; four of these are an eighth of ``half``.
    assert low == pytest.approx(values.mean() - half, abs=half / 8)
    assert high == pytest.approx(values.mean() + half, abs=half / 8)


def test_the_same_generator_gives_the_same_interval():
    values = np.arange(9.0)
    one, other = (bootstrap(values, np.median, generator(2)) for _ in range(2))
    assert one == other and 0 <= one[0] <= 4 <= one[1] <= 8


def test_infinite_values_make_an_infinite_end():
    values = np.array([1.0, 2, 3, 4, math.inf])
    assert bootstrap(values, np.median, generator(3))[1] == math.inf
    assert bootstrap(values, np.median, generator(3))[0] >= 1


def test_one_value_has_no_spread():
    assert all(map(math.isnan, bootstrap(np.ones(1), np.mean, generator(0))))


@pytest.mark.parametrize(
    ("values", "level", "message"),
    [([1, math.nan], 0.95, "1 values are NaN"), ([1, 2], 1.0, "level 1.0")],
)
def test_what_cannot_be_used_is_named(values, level, message):
    with pytest.raises(ValueError, match=message):
        bootstrap(np.array(values), np.mean, generator(0), level=level)
