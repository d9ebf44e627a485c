import numpy as np
import pytest

from robusteval.metrics.targeted_success_rate import targeted_success_rate
from robusteval.metrics.targeted_transfer_rate import targeted_transfer_rate

# Class 0 leads, then 1 and so on; the targets stand first, second, third and last.
LOGITS = np.tile(np.arange(7, 0, -1, dtype=np.float32), (4, 1))
TARGET = np.array([0, 1, 2, 6])
ALL = np.ones(4, bool)


@pytest.mark.parametrize(
    ("k", "expected"), [(1, 1 / 4), (2, 2 / 4), (3, 3 / 4), (5, 3 / 4), (6, 3 / 4)]
)
def test_by_hand(k, expected):
    assert targeted_transfer_rate(LOGITS, TARGET, ALL, k=k) == expected


def test_five_is_what_the_paper_shows():
    assert targeted_transfer_rate(LOGITS, np.array([4, 4, 5, 5]), ALL) == 2 / 4


def test_population_is_the_denominator():
    population = np.array([True, False, False, True])
    assert targeted_transfer_rate(LOGITS, TARGET, population, k=5) == 1 / 2


def test_of_one_class_it_is_the_success_rate_ties_included():
    rng = np.random.default_rng(0)
    logits = rng.integers(3, size=(200, 6)).astype(np.float32)  # most rows have a tie
    target = rng.integers(6, size=200)
    everything = np.ones(200, bool)
    expected = targeted_success_rate(logits.argmax(1), target, everything)
    assert targeted_transfer_rate(logits, target, everything, k=1) == expected


def test_against_a_stable_sort():
    rng = np.random.default_rng(1)
    logits = rng.integers(4, size=(200, 12)).astype(np.float32)
    target = rng.integers(12, size=200)
    first = np.argsort(-logits, axis=1, kind="stable")[:, :5]
    expected = (first == target[:, None]).any(1).mean()
    assert targeted_transfer_rate(logits, target, np.ones(200, bool)) == expected


@pytest.mark.parametrize("k", [0, 7])
def test_k_that_says_nothing(k):
    with pytest.raises(ValueError, match=f"k {k}: expected 1 to 6"):
        targeted_transfer_rate(LOGITS, TARGET, ALL, k=k)


def test_untargeted_images_and_classes_that_the_model_lacks():
    for wrong in (-1, 7):
        with pytest.raises(ValueError, match="expected 0 to 6"):
            targeted_transfer_rate(LOGITS, np.array([0, 1, 2, wrong]), ALL)


def test_nan_is_no_logit():
    broken = LOGITS.copy()
    broken[1, 3] = np.nan
    with pytest.raises(ValueError, match="a logit is NaN"):
        targeted_transfer_rate(broken, TARGET, ALL)


def test_other_shapes():
    with pytest.raises(ValueError, match=r"logits \(4, 7\), target \(3,\)"):
        targeted_transfer_rate(LOGITS, TARGET[:3], ALL[:3])
    with pytest.raises(ValueError, match="none of 4 images"):
        targeted_transfer_rate(LOGITS, TARGET, ~ALL)
