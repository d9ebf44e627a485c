"""Drawing by grey level: the tables are exact, and so are the shares of what is drawn."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chi2, norm, poisson

from robusteval.corruptions import gaussian_noise, impulse_noise, shot_noise, speckle_noise
from robusteval.corruptions._redraw import outcomes, redrawn

NOISES = [
    (gaussian_noise, 0.04),
    (gaussian_noise, 0.38),
    (speckle_noise, 0.15),
    (speckle_noise, 0.6),
    (shot_noise, 3),
    (shot_noise, 500),
    (impulse_noise, 0.27),
]


def shares(found):
    """Return what the tables of ``found`` amount to: shares (256, 256) of each result by level."""
    level = np.arange(256).repeat(256)
    own = ((found.table >> 8) + found.rest) / 256
    total = np.zeros((256, 256))
    np.add.at(total, (level, np.tile(np.arange(256), 256)), own / 256)
    np.add.at(total, (level, found.table & 255), (1 - own) / 256)
    return total


def test_a_table_is_the_distribution_it_was_made_for():
    below = ndtr((np.arange(1, 257) - np.arange(256)[:, np.newaxis]) / 40)
    below[:, -1] = 1
    # 256 shares, moved about at most 255 times in double precision
    assert np.abs(shares(outcomes(below)).cumsum(axis=1) - below).max() < 1e-13


@pytest.mark.parametrize(
    ("corruption", "constant", "mean", "variance"),
    [
        (gaussian_noise, 0.04, 100, (0.04 * 255) ** 2),
        (speckle_noise, 0.15, 100, 15**2),
        (impulse_noise, 0.2, 0.8 * 100 + 0.1 * 255, 0.8 * 100**2 + 0.1 * 255**2 - 105.5**2),
    ],
)
def test_the_table_of_a_level_has_its_mean_and_variance(corruption, constant, mean, variance):
    share = shares(corruption._outcomes(constant))[100]
    levels = np.arange(256)
    found = (share * levels).sum()
    truncation = 0 if corruption is impulse_noise else 0.5
    # Truncation takes half a level on average; how evenly it does depends on the noise, by less
    # than 0.02 where its deviation is above 7 levels.
    assert found == pytest.approx(mean - truncation, abs=0.02)
    # and it adds a twelfth to the variance, at most an eighth of what it takes off on average
    assert (share * (levels - found) ** 2).sum() == pytest.approx(variance, abs=0.2)


@pytest.mark.parametrize("level", [1, 100, 200, 255])
def test_shot_noise_has_the_probabilities_of_poisson(level):
    share = shares(shot_noise._outcomes(60))[level]
    counts = np.arange(60)
    expected = poisson.pmf(counts, level / 255 * 60)
    assert np.abs(share[(counts / 60 * 255).astype(int)] - expected).max() < 1e-12
    assert share[255] == pytest.approx(poisson.sf(59, level / 255 * 60), abs=1e-12)


def test_gaussian_noise_has_the_probabilities_of_truncation():
    share = shares(gaussian_noise._outcomes(0.1))[50]
    edges = norm.cdf((np.arange(1, 256) - 50) / 25.5)  # scale 255
    assert np.abs(share[1:255] - np.diff(edges)).max() < 1e-12
    assert share[0] == pytest.approx(edges[0], abs=1e-12)  # all that is clipped
    assert share[255] == pytest.approx(1 - edges[-1], abs=1e-12)


@pytest.mark.parametrize(("corruption", "constant"), NOISES)
@pytest.mark.parametrize("level", [3, 128, 250])
def test_drawn_values_have_the_shares_of_the_table(corruption, constant, level):
    found = corruption._outcomes(constant)
    n = 1 << 20
    image = np.full(n, level, np.uint8)
    counts = np.bincount(redrawn(image, found, np.random.default_rng(level)), minlength=256)
    expected = n * shares(found)[level]
    assert not counts[expected < 1e-9].any()
    often = expected > 20  # where the chi-square approximation holds
    statistic = ((counts - expected)[often] ** 2 / expected[often]).sum()
    # The two sums are equal, which takes one degree; 99.99% of the seeds stay below.
    assert statistic < chi2.ppf(0.9999, max(1, often.sum() - 1))


def test_neighbours_are_independent():
    found = gaussian_noise._outcomes(0.1)
    n = 1 << 18
    drawn = redrawn(np.full(n, 128, np.uint8), found, np.random.default_rng(0)).astype(float)
    drawn -= drawn.mean()
    for lag in (1, 2, 3, 4, 8):  # 4 values share a 64-bit word
        correlation = (drawn[lag:] * drawn[:-lag]).mean() / drawn.var()
        assert abs(correlation) < 4 / np.sqrt(n)  # 4 standard errors


def test_ties_are_decided_with_more_digits():
    # One cell in 256 of a level is shared in halves of a 256th: only ties can tell.
    below = np.ones((256, 256))
    below[:, 0] = 1 - 0.5 / 65536
    n = 1 << 24
    drawn = redrawn(np.zeros(n, np.uint8), outcomes(below), np.random.default_rng(1))
    expected = n * 0.5 / 65536  # 128, its Poisson deviation 11.3; 4 of them
    assert abs(np.count_nonzero(drawn) - expected) < 4 * np.sqrt(expected)
