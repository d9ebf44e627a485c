"""With generators of today the corruptions are as strong as the published code was.

``statistics.csv`` (tests/fixtures/corruptions/README.md) has, for everything that draws, what the
published code gave with five seeds: the mean and the standard deviation over seeds of the pixels'
mean, of their standard deviation and of the RMS distance from the clean images.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from robusteval.corruptions._apply import _function, corrupt
from robusteval.corruptions._severities import FAMILIES, severities
from robusteval.seeds import generator

FIXTURES = Path(__file__).parents[2] / "fixtures" / "corruptions"
THEIR_SEEDS, OUR_SEEDS = 5, 10
# Student's t, with 5 + 10 - 2 degrees of freedom, is beyond 7 once in 100,000 times for normal
# values, so 528 comparisons of right code fail with a chance of half a percent. The seeds are
# fixed: it is about the choice of the limit, not about tests that fail now and then.
LARGEST_T = 7.0
RESOLUTION = 1e-4  # of the numbers in the file
STATISTICS = ("mean", "std", "rms")


@cache
def table():
    return pd.read_csv(FIXTURES / "statistics.csv").set_index(["family", "corruption", "severity"])


CASES = sorted({(family, corruption) for family, corruption, _ in table().index})


def measured(images, corruption, severity, family, seed):
    generators = [generator(seed, corruption, severity, i) for i in range(len(images))]
    result = corrupt(images, corruption, severity, generators, family=family).astype(float)
    distance = np.sqrt(np.mean((result - images) ** 2, axis=(1, 2, 3)))
    each = (result.mean(axis=(1, 2, 3)), result.std(axis=(1, 2, 3)), distance)
    return [values.mean() for values in each]


def test_all_that_draws_is_compared():
    drawing = [
        (family, corruption)
        for family, corruptions in FAMILIES.items()
        for corruption in corruptions
        if "draws nothing" not in (_function(corruption, family).__doc__ or "").lower()
    ]
    assert sorted(drawing) == CASES


@pytest.mark.parametrize(("family", "corruption"), CASES)
def test_strength_is_within_the_spread_of_the_published_code(family, corruption, request):
    if corruption == "frost":
        request.getfixturevalue("published_ice")
    with np.load(FIXTURES / f"{family}.npz") as arrays:
        images = arrays["inputs"]
    images = images if images.ndim == 4 else images[..., np.newaxis]
    for severity in severities(family):
        theirs = table().loc[(family, corruption, severity)]
        ours = np.array(
            [measured(images, corruption, severity, family, seed) for seed in range(OUR_SEEDS)]
        )
        for name, values in zip(STATISTICS, ours.T, strict=True):
            variance = (THEIR_SEEDS - 1) * theirs[f"{name}_sd"] ** 2
            variance += (OUR_SEEDS - 1) * values.var(ddof=1)
            variance /= THEIR_SEEDS + OUR_SEEDS - 2
            error = np.sqrt(variance * (1 / THEIR_SEEDS + 1 / OUR_SEEDS))
            difference = abs(values.mean() - theirs[name])
            assert difference <= LARGEST_T * error + RESOLUTION, (severity, name, difference, error)
