import subprocess
import sys

import numpy as np
import pytest

from robusteval.intervals import normal, wilson


@pytest.mark.parametrize("n", [1, 2, 10, 263, 10_000, 50_000])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_against_scipy(n, share, level):
    from scipy.stats import binomtest

    successes = round(share * n)
    expected = binomtest(successes, n).proportion_ci(confidence_level=level, method="wilson")
    # The same formula in another order; a bound near 0 is a difference of numbers below 1.
    assert wilson(successes, n, level=level) == pytest.approx(tuple(expected), abs=1e-14)


def test_published_example():
    # Newcombe (1998), table I, score method without continuity correction, four digits.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_ends_are_exact():
    assert wilson(0, 7)[0] == 0.0
    assert wilson(7, 7)[1] == 1.0


@pytest.mark.parametrize("successes", range(8))
def test_failures_mirror_successes(successes):
    low, high = wilson(successes, 7)
    assert wilson(7 - successes, 7) == pytest.approx((1 - high, 1 - low), abs=1e-15)  # rounding
    assert 0 <= low <= successes / 7 <= high <= 1


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 5), (6, 5), (0, -1)])
def test_impossible_counts(successes, n):
    with pytest.raises(ValueError, match="0 <= successes <= n"):
        wilson(successes, n)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_impossible_level(level):
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, level=level)


def test_import_is_light():
    code = "import sys, robusteval.intervals; print({'scipy', 'torch'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_normal_interval_of_a_rate_is_the_textbook_one():
    values = np.repeat([1.0, 0.0], [30, 70])
    half = 1.959964 * np.sqrt(0.3 * 0.7 / 99)  # the sample variance divides by n - 1
    assert normal(values) == pytest.approx((0.3 - half, 0.3 + half), abs=1e-7)


def test_normal_interval_of_one_value_is_undefined():
    assert np.isnan(normal(np.array([0.5]))).all()


def test_normal_interval_stays_within_0_and_1():
    low, high = normal(np.array([1.0, 1.0, 0.5, 0.5]))
    assert 0 < low < 0.75 and high == 1
