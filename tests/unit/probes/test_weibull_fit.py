import numpy as np
import pytest
from scipy.stats import weibull_min

from robusteval.probes._weibull import _penalised, fitted
from robusteval.seeds import generator


def maxima(shape, limit=10.0, scale=2.0, n=500, seed=0):
    """Return maxima (n,) with a known limit."""
    return limit - weibull_min.rvs(shape, scale=scale, size=n, random_state=generator(seed))


@pytest.mark.parametrize(
    ("method", "mean", "deviation"), [("released", 9.987, 0.131), ("art", 9.884, 0.146)]
)
def test_the_limit_of_a_reverse_weibull_distribution_is_found(method, mean, deviation):
    """The true limit is 10; one search from shape 1, as in ART, stops short of it."""
    for seed in range(3):
        fit = fitted(maxima(3.0, seed=seed), method=method)
        # Mean and standard deviation over 40 seeds; four of the latter.
        assert fit.limit == pytest.approx(mean, abs=4 * deviation)
        assert fit.status == "ok" and fit.location == fit.limit


def test_the_released_fit_finds_the_shape_and_the_scale_and_passes_its_test():
    for seed in range(3):
        fit = fitted(maxima(3.0, seed=seed), method="released")
        # Over 40 seeds the shape had the mean 3.01 and the standard deviation 0.27; four of these.
        # Scale and limit are off by the same distance, near enough.
        assert fit.shape == pytest.approx(3, abs=1.1)
        assert fit.scale == pytest.approx(2, abs=0.52)
        assert fit.p > 0.05


def test_the_limit_is_never_below_the_largest_maximum():
    for shape in (0.5, 1.5, 3.0, 30.0):
        sample = maxima(shape)
        assert fitted(sample, method="released").limit >= sample.max()


def test_the_released_fit_does_not_depend_on_the_unit():
    small, large = (fitted(u * maxima(3.0), method="released") for u in (1.0, 1024.0))
    # Maxima are brought to [0, 1] first; a power of two leaves the bits of a number alone.
    assert large.limit == 1024 * small.limit and large.scale == 1024 * small.scale
    assert large.shape == small.shape


def test_the_penalty_is_on_the_scale_as_in_the_released_code():
    theta, x = (3.0, 1.0, 2.0), np.array([1.5, 2.5, 4.0])
    shape, location, scale = theta
    likelihood = weibull_min.logpdf(x, shape, location, scale).sum()
    # Sums of a few numbers near 1: rounding alone.
    assert weibull_min.nnlf(theta, x) == pytest.approx(-likelihood, rel=1e-12)
    found = _penalised(
        lambda theta, x: np.square(theta - x).sum(), [0, 0, 0], (np.array([1, 2, 3]),)
    )
    # (s - 3)^2 + 0.01 s^2 is least at 3 / 1.01; the search ends at steps below 1e-4.
    assert found == pytest.approx([1, 2, 3 / 1.01], abs=5e-4)


def test_maxima_that_no_fit_describes_leave_the_largest():
    sample = np.concatenate([np.linspace(1, 1.01, 250), np.linspace(9, 10, 250)])
    fit = fitted(sample, method="released")
    assert (fit.limit, fit.status) == (10.0, "fit failed")
    assert np.isnan([fit.shape, fit.location, fit.scale, fit.p]).all()


def test_a_search_that_fails_altogether_leaves_the_largest(monkeypatch):
    monkeypatch.setattr("robusteval.probes._weibull._search", lambda *_: None)
    for method in ("released", "art"):
        fit = fitted(np.array([1.0, 2.0]), method=method)
        assert (fit.limit, fit.status) == (2.0, "fit failed")


@pytest.mark.parametrize("method", ["released", "art"])
def test_maxima_that_agree_are_the_limit(method):
    for sample in (np.full(5, 3.0), np.array([3.0, 3.0 * (1 - 1e-7)]), np.zeros(4), np.ones(1)):
        fit = fitted(sample, method=method)
        assert (fit.limit, fit.status) == (sample.max(), "constant")
