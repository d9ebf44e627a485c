"""Scores of searched images, by hand and against resampling image by image."""

import numpy as np
import pytest

from robusteval.bootstrap import bootstrap
from robusteval.metrics._searched import Verdicts, difference, estimates, intervals
from robusteval.metrics.fmr import fmr
from robusteval.metrics.fmr_adversarial import fmr_adversarial
from robusteval.metrics.fmr_valid import fmr_valid
from robusteval.metrics.perturbed_accuracy import perturbed_accuracy
from robusteval.metrics.perturbed_accuracy_all import perturbed_accuracy_all
from robusteval.metrics.validation_rate import validation_rate

NAN = float("nan")
LOW_DIGITS = 0.005001  # half of the last printed digit, in percent


def bits(ones, zeros):
    return np.array([True] * ones + [False] * zeros)


def word(text):
    return np.array([letter == "1" for letter in text])


# right, valid, right after the search; then in percent
# SA, VR, PA, FMR, SA of valid images, FMR of valid images, PA_all
CASES = {
    "by_hand": (bits(9, 1), bits(8, 2), word("1111000010"), (90, 80, 50, 55.56, 100, 50, 50)),
    "identity": (bits(9, 1), bits(10, 0), bits(9, 1), (90, 100, 90, 100, 90, 100, 90)),
    "above_100": (bits(47, 3), bits(50, 0), bits(50, 0), (94, 100, 100, 106.38, 94, 106.38, 100)),
    "none_valid": (bits(9, 1), bits(0, 10), bits(5, 5), (90, 0, NAN, NAN, NAN, NAN, 90)),
    "selection": (bits(8, 2), bits(8, 2), bits(6, 4), (80, 80, 75, 93.75, 100, 75, 60)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_scores_by_hand(case):
    right, valid, perturbed, expected = case
    got = (
        np.mean(right),
        validation_rate(valid),
        perturbed_accuracy(perturbed, valid),
        fmr(right, perturbed, valid),
        perturbed_accuracy(right, valid),
        fmr_valid(right, perturbed, valid),
        perturbed_accuracy_all(right, perturbed, valid),
    )
    assert 100 * np.array(got) == pytest.approx(expected, abs=LOW_DIGITS, nan_ok=True)
    names = ("sa", "vr", "pa", "fmr", "sa_valid", "fmr_valid", "pa_all")
    together = estimates(Verdicts(right, right, perturbed, valid))
    assert [together[name] for name in names] == pytest.approx(got, abs=1e-12, nan_ok=True)


def test_what_the_search_costs_beyond_the_round_trip():
    valid, round_trip, perturbed = word("111110"), word("111100"), word("110001")
    assert perturbed_accuracy(round_trip, valid) == 4 / 5
    assert fmr_adversarial(round_trip, perturbed, valid) == pytest.approx(1 / 2, abs=1e-12)


def test_a_model_that_is_never_right_has_no_ratio():
    none, all_of_them = bits(0, 6), bits(6, 0)
    assert np.isnan(fmr(none, none, all_of_them))
    assert np.isnan(fmr_valid(none, none, all_of_them))
    assert np.isnan(fmr_adversarial(none, none, all_of_them))
    assert perturbed_accuracy(none, all_of_them) == 0


def test_a_perfect_model_keeps_everything():
    always, valid = bits(10, 0), bits(7, 3)
    assert perturbed_accuracy(always, valid) == fmr(always, always, valid) == 1


def test_without_a_budget_only_the_round_trip_is_left():
    right, round_trip, valid = bits(9, 3), word("111011011011"), word("111101111110")
    assert fmr(right, round_trip, valid) == pytest.approx(
        perturbed_accuracy(round_trip, valid) / np.mean(right), abs=1e-12
    )
    assert fmr_adversarial(round_trip, round_trip, valid) == 1


def sample(n, seed=0):
    """Return verdicts on n images, and those of a second model on the same images."""
    rng = np.random.default_rng(seed)
    right, valid = rng.random(n) < 0.9, rng.random(n) < 0.85
    first = Verdicts(right, right & (rng.random(n) < 0.95), right & (rng.random(n) < 0.3), valid)
    worse = first.right_perturbed & (rng.random(n) < 0.6)
    return first, Verdicts(right, first.right_round_trip, worse, valid)


def test_intervals_are_those_of_drawing_whole_images():
    verdicts, _ = sample(400)
    rows = np.stack([verdicts.right, verdicts.right_perturbed, verdicts.valid], 1).astype(float)

    def statistic(drawn, axis):
        right, perturbed, valid = np.moveaxis(drawn, -1, 0)
        return (perturbed * valid).sum(axis) / valid.sum(axis) / right.mean(axis)

    slow = bootstrap(rows, statistic, np.random.default_rng(1), resamples=8000)
    fast = intervals(verdicts, np.random.default_rng(2), resamples=8000)["fmr"]
    # An end of 8,000 draws has a standard error of about 1% of the width, here 0.1.
    assert fast == pytest.approx(slow, abs=0.006)


def test_intervals_hold_the_estimates_and_narrow_with_more_images():
    few, many = (intervals(sample(n)[0], np.random.default_rng(3)) for n in (100, 10_000))
    values = estimates(sample(10_000)[0])
    for name, (low, high) in many.items():
        assert low < values[name] < high
        # A tenth, by the root of the number of images; the width of 100 images is itself uncertain.
        assert (high - low) < 0.2 * (few[name][1] - few[name][0])


def test_numerator_and_denominator_vary_together():
    """Where the search changes nothing and all is valid, PA = SA in every draw."""
    right = bits(60, 40)
    found = intervals(Verdicts(right, right, right, bits(100, 0)), np.random.default_rng(0))
    assert found["fmr"] == (1.0, 1.0)
    assert found["sa"][0] < 0.55 and found["sa"][1] > 0.65  # 0.6 +- 0.096


def test_undefined_intervals_are_empty():
    right = bits(9, 1)
    found = intervals(Verdicts(right, right, right, bits(0, 10)), np.random.default_rng(0))
    assert found["vr"] == (0.0, 0.0)
    assert all(np.isnan(found[name]).all() for name in ("pa", "pa_0", "fmr", "fmr_adversarial"))
    one = intervals(Verdicts(*[bits(1, 0)] * 4), np.random.default_rng(0))
    assert all(np.isnan(ends).all() for ends in one.values())


def test_the_difference_of_two_models_is_paired():
    first, second = sample(500)
    value, low, high = difference("fmr_valid", first, second, np.random.default_rng(0))
    apart = estimates(first)["fmr_valid"] - estimates(second)["fmr_valid"]
    assert value == pytest.approx(apart, abs=1e-12)
    assert 0 < low < value < high
    same = difference("fmr", first, first, np.random.default_rng(0))
    assert same == (0.0, 0.0, 0.0)


def test_two_models_on_other_images_are_not_compared():
    with pytest.raises(ValueError, match=r"first \(40,\), second \(50,\)"):
        difference("fmr", sample(40)[0], sample(50)[0], np.random.default_rng(0))


def test_verdicts_are_boolean():
    with pytest.raises(ValueError, match="right_perturbed has type int64"):
        fmr(bits(2, 0), np.array([1, 0]), bits(2, 0))
